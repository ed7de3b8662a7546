//! What a match result is worth: Elo with its error, likelihood of superiority, and the sequential test.
//!
//! Games come in pairs, one opening with colours reversed, so the unit of the statistics is the score of a pair:
//! 0, 1/2, 1, 3/2 or 2 points (the pentanomial model). The sequential probability ratio test is in normalised
//! Elo, which measures a difference in standard deviations of a single game, 800 / ln 10 to the unit. The
//! likelihood of each hypothesis is maximised over all distributions with its t-value, after M. Van den Bergh,
//! "Comments on Normalized Elo" and "A Practical Introduction to the GSPRT" (2019-2020), as chess testing
//! frameworks do.

use serde::{Deserialize, Serialize};

/// Numbers of pairs by score: 0, 1/2, 1, 3/2, 2 points for the first engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Pentanomial(pub [u64; 5]);

/// A share of games that never happened still gets this weight, so that logarithms stay finite.
const UNSEEN: f64 = 1e-3;
/// Points of a pair, per game.
const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
/// Two-sided 95 %.
const CONFIDENCE: f64 = 1.959_964;

/// A distribution over scores: value and probability.
type Distribution = Vec<(f64, f64)>;

fn mean_and_variance(distribution: &[(f64, f64)]) -> (f64, f64) {
    let mean: f64 = distribution.iter().map(|(a, p)| a * p).sum();
    let variance = distribution.iter().map(|(a, p)| p * (a - mean) * (a - mean)).sum();
    (mean, variance)
}

/// The `x` with `sum p a / (1 + x a) = 0`, between the poles.
fn secular(distribution: &[(f64, f64)]) -> f64 {
    let least = distribution.iter().map(|d| d.0).fold(f64::INFINITY, f64::min);
    let most = distribution.iter().map(|d| d.0).fold(f64::NEG_INFINITY, f64::max);
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    // The sum falls from plus to minus infinity between the poles.
    for _ in 0..200 {
        let x = f64::midpoint(low, high);
        let sum: f64 = distribution.iter().map(|(a, p)| p * a / (1.0 + x * a)).sum();
        if sum > 0.0 { low = x } else { high = x }
    }
    f64::midpoint(low, high)
}

/// The most likely distribution, given the observed one, in which the sum of `values` vanishes.
fn most_likely(observed: &[(f64, f64)], values: &[f64]) -> Distribution {
    let shifted: Vec<_> = values.iter().zip(observed).map(|(&v, &(_, p))| (v, p)).collect();
    let x = secular(&shifted);
    observed.iter().zip(values).map(|(&(a, p), v)| (a, p / (1.0 + x * v))).collect()
}

/// The most likely distribution whose mean lies `t` standard deviations above `reference`.
fn most_likely_with_t(observed: &[(f64, f64)], reference: f64, t: f64) -> Distribution {
    let uniform = 1.0 / observed.len() as f64;
    let mut found: Distribution = observed.iter().map(|&(a, _)| (a, uniform)).collect();
    for _ in 0..100 {
        let (mean, variance) = mean_and_variance(&found);
        let sigma = variance.sqrt();
        let values: Vec<f64> = observed
            .iter()
            .map(|(a, _)| a - reference - t * sigma * (1.0 + ((mean - a) / sigma).powi(2)) / 2.0)
            .collect();
        let next = most_likely(observed, &values);
        let change = next.iter().zip(&found).map(|(a, b)| (a.1 - b.1).abs()).fold(0.0, f64::max);
        found = next;
        if change < 1e-9 {
            break;
        }
    }
    found
}

impl Pentanomial {
    /// Adds a pair with so many half points, 0..=4, for the first engine.
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points.min(4)] += 1;
    }

    /// Number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    fn distribution(&self) -> (f64, Distribution) {
        let counts = self.0.map(|count| if count == 0 { UNSEEN } else { count as f64 });
        let total: f64 = counts.iter().sum();
        (total, SCORES.into_iter().zip(counts.map(|count| count / total)).collect())
    }

    /// Mean score per game and the standard error of it; `None` without pairs.
    pub fn score(&self) -> Option<(f64, f64)> {
        let pairs = self.pairs() as f64;
        if pairs == 0.0 {
            return None;
        }
        let distribution: Vec<_> = SCORES.into_iter().zip(self.0.map(|count| count as f64 / pairs)).collect();
        let (mean, variance) = mean_and_variance(&distribution);
        Some((mean, (variance / pairs).sqrt()))
    }

    /// Elo difference and half the width of its 95 % interval. Infinite when one side has won everything.
    pub fn elo(&self) -> Option<(f64, f64)> {
        let (mean, error) = self.score()?;
        let (low, high) = (elo(mean - CONFIDENCE * error), elo(mean + CONFIDENCE * error));
        Some((elo(mean), (high - low) / 2.0))
    }

    /// Normalised Elo and half the width of its 95 % interval.
    pub fn normalized_elo(&self) -> Option<(f64, f64)> {
        let (mean, error) = self.score()?;
        let pairs = self.pairs() as f64;
        let game_deviation = error * (2.0 * pairs).sqrt();
        let unit = 800.0 / 10f64.ln();
        (game_deviation > 0.0).then(|| ((mean - 0.5) / game_deviation * unit, CONFIDENCE / (2.0 * pairs).sqrt() * unit))
    }

    /// Probability, in 0..=1, that the first engine is the stronger one.
    pub fn likelihood_of_superiority(&self) -> Option<f64> {
        let (mean, error) = self.score()?;
        if error == 0.0 {
            return Some(if mean > 0.5 {
                1.0
            } else if mean < 0.5 {
                0.0
            } else {
                0.5
            });
        }
        Some(normal_distribution((mean - 0.5) / error))
    }

    /// Logarithm of the likelihood ratio of normalised Elo `elo1` against `elo0`.
    pub fn log_likelihood_ratio(&self, elo0: f64, elo1: f64) -> f64 {
        if self.pairs() == 0 {
            return 0.0;
        }
        let (count, observed) = self.distribution();
        // A pair's score per game varies half as much as that of a game, hence the root of two.
        let t = |elo: f64| elo * 10f64.ln() / 800.0 * std::f64::consts::SQRT_2;
        let under = |elo| most_likely_with_t(&observed, 0.5, t(elo));
        let (null, alternative) = (under(elo0), under(elo1));
        let ratio: f64 =
            observed.iter().zip(null.iter().zip(&alternative)).map(|(o, (n, a))| o.1 * (a.1 / n.1).ln()).sum();
        count * ratio
    }
}

/// The Elo difference of an expected score.
pub fn elo(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        -400.0 * (1.0 / score - 1.0).log10()
    }
}

/// The standard normal distribution function (Abramowitz, Stegun 1964, 26.2.17; error below 7.5e-8).
fn normal_distribution(x: f64) -> f64 {
    const B: [f64; 5] = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let polynomial = B.iter().rev().fold(0.0, |sum, b| (sum + b) * t);
    let tail = (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt() * polynomial;
    if x >= 0.0 { 1.0 - tail } else { tail }
}

/// A sequential test: is the first engine stronger by `elo1` rather than by `elo0`?
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Sprt {
    /// Normalised Elo of the null hypothesis.
    pub elo0: f64,
    /// Normalised Elo of the alternative.
    pub elo1: f64,
    /// Chance of a wrong "passed".
    pub alpha: f64,
    /// Chance of a wrong "failed".
    pub beta: f64,
}

/// The outcome of a sequential test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Decision {
    /// The alternative is accepted.
    Passed,
    /// The null hypothesis is accepted.
    Failed,
}

impl Sprt {
    /// Lower and upper bound of the log-likelihood ratio (Wald 1945).
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The decision, if it can be made yet.
    pub fn decision(&self, pairs: &Pentanomial) -> Option<Decision> {
        let ratio = pairs.log_likelihood_ratio(self.elo0, self.elo1);
        let (lower, upper) = self.bounds();
        if ratio >= upper {
            Some(Decision::Passed)
        } else if ratio <= lower {
            Some(Decision::Failed)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(value: f64, expected: f64) {
        assert!((value - expected).abs() <= 0.01 * expected.abs(), "{value}, expected {expected}");
    }

    /// The normalised pentanomial examples of the unit tests of fastchess (Disservin, tests/sprt_test.cpp), where
    /// pairs of a win and a loss and pairs of two draws are listed apart.
    #[test]
    fn ratios_agree_with_published_examples() {
        let ratio = |pairs, elo0, elo1| Pentanomial(pairs).log_likelihood_ratio(elo0, elo1);
        close(ratio([365, 16_618, 36_029 + 200, 16_974, 390], 0.0, 2.0), 2.25);
        close(ratio([127, 4_883, 10_311 + 401, 5_150, 104], -1.75, 0.25), 3.01);
        close(ratio([0, 0, 0, 0, 5_550], 0.0, 5.0), 111.82);
    }

    #[test]
    fn the_test_is_symmetric() {
        let pairs = Pentanomial([3, 10, 40, 22, 9]);
        let mut mirrored = pairs;
        mirrored.0.reverse();
        close(pairs.log_likelihood_ratio(0.0, 20.0), -mirrored.log_likelihood_ratio(-20.0, 0.0));
        assert_eq!(Pentanomial::default().log_likelihood_ratio(0.0, 5.0), 0.0);
        let sprt = Sprt { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05 };
        close(sprt.bounds().1, 2.944);
        assert_eq!(sprt.decision(&pairs), None);
        assert_eq!(sprt.decision(&Pentanomial([0, 10, 400, 300, 100])), Some(Decision::Passed));
        assert_eq!(sprt.decision(&Pentanomial([100, 300, 400, 10, 0])), Some(Decision::Failed));
    }

    #[test]
    fn elo_and_superiority() {
        close(elo(0.75), 190.85);
        let even = Pentanomial([5, 10, 20, 10, 5]);
        assert_eq!(even.elo().map(|(elo, _)| elo.abs() < 1e-9), Some(true));
        close(even.likelihood_of_superiority().expect("pairs"), 0.5);
        close(normal_distribution(1.96), 0.975);
        close(normal_distribution(-1.96), 0.025);
        assert_eq!(Pentanomial([0, 0, 0, 0, 4]).elo().map(|e| e.0), Some(f64::INFINITY));
        assert_eq!(Pentanomial::default().elo(), None);
    }
}
