//! Statistics of a match result: Elo with its error, likelihood of superiority, and the sequential test.
//!
//! Games come in pairs, one opening with colours reversed, so the unit of the statistics is the score of a pair: 0,
//! 1/2, 1, 3/2 or 2 points (the pentanomial model). The sequential probability ratio test is in normalised Elo:
//! differences in standard deviations of a single game, 800 / ln 10 to the unit. The likelihood of each hypothesis is
//! maximised over all distributions with its t-value, after M. Van den Bergh, "Comments on Normalized Elo" and "A
//! Practical Introduction to the GSPRT" (2019-2020), as chess testing frameworks do.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Numbers of pairs by score: 0, 1/2, 1, 3/2, 2 points for the first engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Pentanomial(pub [u64; 5]);

/// Weight of a share of games that never occurred, so that logarithms stay finite.
const UNSEEN: f64 = 1e-3;
/// Points of a pair, per game.
const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
/// Two-sided 95 %.
const CONFIDENCE: f64 = 1.959_964;
/// Bound of the hypotheses in normalised Elo: a few games decide larger differences.
const MAX_ELO: f64 = 1_000.0;

/// A value with half the width of its 95 % interval, as text and result file show it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The value; infinite when one side has won everything.
    pub value: f64,
    /// Half the width of the interval; `None` if the results are too few or too uniform.
    pub error: Option<f64>,
}

impl Estimate {
    /// Creates an estimate; drops an error that is infinite or zero.
    pub fn new(value: f64, error: f64) -> Estimate {
        Estimate { value, error: (error.is_finite() && error > 0.0).then_some(error) }
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = self.error.map_or_else(|| "-".to_string(), |error| format!("{error:.1}"));
        write!(f, "{:.1} +/- {error}", unsigned_zero(self.value, 1))
    }
}

/// Rounds a value to `digits` digits; never returns `-0.0`.
pub(super) fn unsigned_zero(value: f64, digits: i32) -> f64 {
    let scale = 10f64.powi(digits);
    // A negative zero plus zero is zero.
    (value * scale).round() / scale + 0.0
}

/// A distribution over scores: value and probability.
type Distribution = Vec<(f64, f64)>;

fn mean_and_variance(distribution: &[(f64, f64)]) -> (f64, f64) {
    let mean: f64 = distribution.iter().map(|(a, p)| a * p).sum();
    let variance = distribution.iter().map(|(a, p)| p * (a - mean) * (a - mean)).sum();
    (mean, variance)
}

/// Returns the `x` with `sum p a / (1 + x a) = 0`, between the poles.
fn secular(distribution: &[(f64, f64)]) -> f64 {
    let min = distribution.iter().map(|d| d.0).fold(f64::INFINITY, f64::min);
    let max = distribution.iter().map(|d| d.0).fold(f64::NEG_INFINITY, f64::max);
    let (mut low, mut high) = (-1.0 / max, -1.0 / min);
    // The sum falls from plus to minus infinity between the poles.
    for _ in 0..200 {
        let x = f64::midpoint(low, high);
        let sum: f64 = distribution.iter().map(|(a, p)| p * a / (1.0 + x * a)).sum();
        if sum > 0.0 { low = x } else { high = x }
    }
    f64::midpoint(low, high)
}

/// Returns the most likely distribution, given the observed one, in which the sum of `values` vanishes.
fn most_likely(observed: &[(f64, f64)], values: &[f64]) -> Distribution {
    let shifted: Vec<_> = values.iter().zip(observed).map(|(&v, &(_, p))| (v, p)).collect();
    let x = secular(&shifted);
    observed.iter().zip(values).map(|(&(a, p), v)| (a, p / (1.0 + x * v))).collect()
}

/// Returns the most likely distribution whose mean lies `t` standard deviations above `reference`.
fn most_likely_with_t(observed: &[(f64, f64)], reference: f64, t: f64) -> Distribution {
    /// A larger step may lead to an infeasible distribution.
    const STEP: f64 = 0.5;
    let uniform = 1.0 / observed.len() as f64;
    let mut found: Distribution = observed.iter().map(|&(a, _)| (a, uniform)).collect();
    let steps = (t.abs() / STEP).ceil().max(1.0);
    for step in 1..=steps as u32 {
        found = approached(observed, found, reference, t * f64::from(step) / steps);
    }
    found
}

/// Returns the same, starting from a nearby distribution.
fn approached(observed: &[(f64, f64)], mut found: Distribution, reference: f64, t: f64) -> Distribution {
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
    /// Adds a pair with `half_points` half points, 0..=4, for the first engine.
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points.min(4)] += 1;
    }

    /// Returns number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    fn distribution(&self) -> (f64, Distribution) {
        let counts = self.0.map(|count| if count == 0 { UNSEEN } else { count as f64 });
        let total: f64 = counts.iter().sum();
        (total, SCORES.into_iter().zip(counts.map(|count| count / total)).collect())
    }

    /// Returns the mean score per game and its standard error; `None` without pairs.
    pub fn score(&self) -> Option<(f64, f64)> {
        let pairs = self.pairs() as f64;
        if pairs == 0.0 {
            return None;
        }
        let distribution: Vec<_> = SCORES.into_iter().zip(self.0.map(|count| count as f64 / pairs)).collect();
        let (mean, variance) = mean_and_variance(&distribution);
        Some((mean, (variance / pairs).sqrt()))
    }

    /// Returns the Elo difference; `None` without pairs.
    pub fn elo(&self) -> Option<Estimate> {
        let (mean, error) = self.score()?;
        let (low, high) = (elo(mean - CONFIDENCE * error), elo(mean + CONFIDENCE * error));
        Some(Estimate::new(elo(mean), (high - low) / 2.0))
    }

    /// Returns the normalised Elo; `None` without pairs, or if all pairs ended alike.
    pub fn normalized_elo(&self) -> Option<Estimate> {
        let (mean, error) = self.score()?;
        let games = 2.0 * self.pairs() as f64;
        let game_deviation = error * games.sqrt();
        let unit = 800.0 / 10f64.ln();
        (game_deviation > 0.0)
            .then(|| Estimate::new((mean - 0.5) / game_deviation * unit, CONFIDENCE / games.sqrt() * unit))
    }

    /// Returns the probability, in 0..=1, that the first engine is stronger.
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

    /// Returns the logarithm of the likelihood ratio of normalised Elo `elo1` against `elo0`.
    pub fn log_likelihood_ratio(&self, elo0: f64, elo1: f64) -> f64 {
        if self.pairs() == 0 {
            return 0.0;
        }
        let (count, observed) = self.distribution();
        // A pair's score per game has half the variance of a game's, hence the root of two.
        let t = |elo: f64| elo * 10f64.ln() / 800.0 * std::f64::consts::SQRT_2;
        let under = |elo| most_likely_with_t(&observed, 0.5, t(elo));
        let (null, alternative) = (under(elo0), under(elo1));
        let ratio: f64 =
            observed.iter().zip(null.iter().zip(&alternative)).map(|(o, (n, a))| o.1 * (a.1 / n.1).ln()).sum();
        count * ratio
    }
}

/// Returns the Elo difference of an expected score.
pub fn elo(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        400.0 * (score / (1.0 - score)).log10()
    }
}

/// Returns the standard normal distribution function (Abramowitz, Stegun 1964, 26.2.17; error below 7.5e-8).
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
    /// Normalised Elo of the null hypothesis, from -1000.
    pub elo0: f64,
    /// Normalised Elo of the alternative, above `elo0` and up to 1000.
    pub elo1: f64,
    /// Probability of a wrong "passed", between 0 and 0.5.
    pub alpha: f64,
    /// Probability of a wrong "failed", between 0 and 0.5.
    pub beta: f64,
}

/// A sequential test with a value out of range.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("--sprt unusable, expected -{max} <= elo0 < elo1 <= {max}, alpha and beta between 0 and 0.5", max = MAX_ELO)]
pub struct SprtError;

/// The outcome of a sequential test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Decision {
    /// The alternative is accepted.
    Passed,
    /// The null hypothesis is accepted.
    Failed,
}

impl Sprt {
    /// Checks that -1000 <= `elo0` < `elo1` <= 1000, and that `alpha` and `beta` are between 0 and 0.5.
    ///
    /// # Errors
    /// A value out of range.
    pub fn check(&self) -> Result<(), SprtError> {
        let chances = [self.alpha, self.beta].iter().all(|chance| *chance > 0.0 && *chance < 0.5);
        if chances && self.elo0 < self.elo1 && self.elo0 >= -MAX_ELO && self.elo1 <= MAX_ELO {
            return Ok(());
        }
        Err(SprtError)
    }

    /// Returns the lower and upper bound of the log-likelihood ratio (Wald 1945).
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// Returns the decision, once there is one.
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
        near(value, expected, 0.01);
    }

    /// Checks equality up to this share of the expected value.
    fn near(value: f64, expected: f64, share: f64) {
        assert!((value - expected).abs() <= share * expected.abs(), "{value}, expected {expected}");
    }

    /// The normalised pentanomial examples of the unit tests of fastchess (Disservin, tests/sprt_test.cpp). They list
    /// pairs of a win and a loss separately from pairs of two draws.
    #[test]
    fn ratios_agree_with_published_examples() {
        let ratio = |pairs, elo0, elo1| Pentanomial(pairs).log_likelihood_ratio(elo0, elo1);
        close(ratio([365, 16_618, 36_029 + 200, 16_974, 390], 0.0, 2.0), 2.25);
        close(ratio([127, 4_883, 10_311 + 401, 5_150, 104], -1.75, 0.25), 3.01);
        close(ratio([0, 0, 0, 0, 5_550], 0.0, 5.0), 111.82);
    }

    /// The expected values come from another program, which finds the two distributions by Newton's method on the
    /// conditions of Lagrange.
    #[test]
    fn ratios_agree_with_another_method() {
        for (pairs, elo0, elo1, expected) in [
            ([3, 10, 40, 22, 9], 0.0, 20.0, 1.705_387_612_01),
            ([3, 10, 40, 22, 9], -20.0, 5.0, 2.713_816_277_28),
            ([0, 7, 30, 9, 1], 0.0, 10.0, 0.216_417_844_388),
            ([100, 300, 400, 10, 0], 0.0, 10.0, -18.736_900_670_0),
            ([0, 10, 400, 300, 100], 0.0, 10.0, 17.537_235_037_4),
            ([0, 0, 2, 0, 0], 0.0, 5.0, -0.000_443_951_674_83),
            ([3, 10, 40, 22, 9], 0.0, 100.0, 3.291_269_511_64),
            ([3, 10, 40, 22, 9], -200.0, 100.0, 47.220_057_194_7),
            ([0, 7, 30, 9, 1], -100.0, 200.0, -4.823_357_970_36),
        ] {
            near(Pentanomial(pairs).log_likelihood_ratio(elo0, elo1), expected, 1e-7);
        }
    }

    #[test]
    fn far_hypotheses_have_a_distribution_too() {
        for pairs in [[0, 0, 0, 0, 5], [0, 0, 50, 0, 0], [3, 10, 40, 22, 9], [5, 0, 0, 0, 5], [0, 1, 0, 0, 0]] {
            let (_, observed) = Pentanomial(pairs).distribution();
            for t in [-4.1, -1.6, -0.4, 0.0, 0.8, 1.6, 4.1] {
                let found = most_likely_with_t(&observed, 0.5, t);
                let (mean, variance) = mean_and_variance(&found);
                assert!((found.iter().map(|(_, p)| p).sum::<f64>() - 1.0).abs() < 1e-9, "{pairs:?} {t}: {found:?}");
                assert!(((mean - 0.5) / variance.sqrt() - t).abs() < 1e-6, "{pairs:?} {t}: {found:?}");
            }
        }
        assert!(Pentanomial([0, 0, 0, 0, 5]).log_likelihood_ratio(0.0, 400.0) > 2.0);
        assert!(Pentanomial([5, 0, 0, 0, 0]).log_likelihood_ratio(0.0, 400.0) < -2.0);
    }

    #[test]
    fn the_test_is_symmetric() {
        let pairs = Pentanomial([3, 10, 40, 22, 9]);
        let mut mirrored = pairs;
        mirrored.0.reverse();
        near(pairs.log_likelihood_ratio(0.0, 20.0), -mirrored.log_likelihood_ratio(-20.0, 0.0), 1e-7);
        assert_eq!(Pentanomial::default().log_likelihood_ratio(0.0, 5.0), 0.0);
        let sprt = Sprt { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05 };
        assert_eq!(sprt.decision(&pairs), None);
        assert_eq!(sprt.decision(&Pentanomial([0, 10, 400, 300, 100])), Some(Decision::Passed));
        assert_eq!(sprt.decision(&Pentanomial([100, 300, 400, 10, 0])), Some(Decision::Failed));
    }

    #[test]
    fn alpha_bounds_passing_and_beta_failing() {
        let sprt = Sprt { elo0: 0.0, elo1: 10.0, alpha: 0.1, beta: 0.02 };
        let (lower, upper) = sprt.bounds();
        near(lower, -3.806_662_489_77, 1e-9);
        near(upper, 2.282_382_385_68, 1e-9);
        // A ratio of 2.7: enough for one wrong pass in ten, not for one in a hundred. The same applies to failing.
        let (better, worse) = (Pentanomial([3, 10, 40, 22, 9]), Pentanomial([9, 22, 40, 10, 3]));
        let decisions = |alpha, beta| {
            let decision = |elo0, elo1, pairs| Sprt { elo0, elo1, alpha, beta }.decision(pairs);
            (decision(-20.0, 5.0, &better), decision(-5.0, 20.0, &worse))
        };
        assert_eq!(decisions(0.1, 0.01), (Some(Decision::Passed), None));
        assert_eq!(decisions(0.01, 0.1), (None, Some(Decision::Failed)));
    }

    #[test]
    fn pairs_are_counted_by_their_points() {
        let mut pairs = Pentanomial::default();
        for (half_points, count) in [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)] {
            (0..count).for_each(|_| pairs.add(half_points));
        }
        assert_eq!((pairs, pairs.pairs()), (Pentanomial([1, 2, 3, 4, 5]), 15));
    }

    #[test]
    fn elo_and_superiority() {
        near(elo(0.75), 190.848_501_887_865, 1e-12);
        near(elo(0.1), -381.697_003_775_73, 1e-12);
        assert_eq!((elo(0.0), elo(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
        let estimate = |estimate: Option<Estimate>, value, error| {
            let Some(Estimate { value: found, error: Some(found_error) }) = estimate else { panic!("{estimate:?}") };
            near(found, value, 1e-12);
            near(found_error, error, 1e-12);
        };
        let rising = Pentanomial([1, 2, 3, 4, 5]);
        estimate(rising.elo(), 120.411_998_265_592_47, 131.274_288_215_893_85);
        // The value includes the root of two between the deviations of a pair's and a game's score.
        estimate(rising.normalized_elo(), 131.318_307_986_702_3, 124.325_943_967_863_17);
        near(rising.likelihood_of_superiority().expect("pairs"), 0.980_783_034_881_609_1, 1e-6);
        let (mean, error) = rising.score().expect("pairs");
        near(mean, 2.0 / 3.0, 1e-12);
        near(error, 0.080_507_648_589_941_32, 1e-12);
        estimate(Pentanomial([9, 22, 40, 10, 3]).elo(), -49.975_494_643_32, 35.518_622_627_830_16);
        let none = Pentanomial::default();
        assert_eq!((none.elo(), none.normalized_elo(), none.likelihood_of_superiority()), (None, None, None));
    }

    #[test]
    fn results_that_are_all_alike_have_no_error() {
        for (pairs, reported, superiority) in [
            ([0, 0, 1, 0, 0], "0.0 +/- -", 0.5),
            ([0, 0, 7, 0, 0], "0.0 +/- -", 0.5),
            ([0, 0, 0, 2, 0], "190.8 +/- -", 1.0),
            ([0, 3, 0, 0, 0], "-190.8 +/- -", 0.0),
            ([0, 0, 0, 0, 4], "inf +/- -", 1.0),
            ([4, 0, 0, 0, 0], "-inf +/- -", 0.0),
        ] {
            let pairs = Pentanomial(pairs);
            assert_eq!(pairs.elo().expect("pairs").to_string(), reported);
            assert_eq!((pairs.normalized_elo(), pairs.likelihood_of_superiority()), (None, Some(superiority)));
        }
        // The interval is unbounded on one side.
        assert_eq!(Pentanomial([0, 0, 0, 1, 1]).elo().expect("pairs").to_string(), "338.0 +/- -");
    }

    #[test]
    fn tests_have_sound_bounds() {
        let sound = |elo0, elo1, alpha, beta| Sprt { elo0, elo1, alpha, beta }.check().is_ok();
        assert!(sound(0.0, 5.0, 0.05, 0.05) && sound(-1_000.0, 1_000.0, 0.499, 0.001));
        for (elo0, elo1) in [(5.0, 5.0), (5.0, 0.0), (-1_000.5, 0.0), (0.0, 1_000.5), (f64::NAN, 5.0)] {
            assert!(!sound(elo0, elo1, 0.05, 0.05), "{elo0} {elo1}");
        }
        for chance in [0.0, -0.05, 0.5, 0.7, f64::NAN] {
            assert!(!sound(0.0, 5.0, chance, 0.05) && !sound(0.0, 5.0, 0.05, chance), "{chance}");
        }
    }

    #[test]
    fn no_zero_has_a_sign() {
        let reported = |value| Estimate::new(value, 1.26).to_string();
        assert_eq!(
            [reported(-0.04), reported(-0.0), reported(0.04), reported(-0.06), reported(2.55)],
            ["0.0 +/- 1.3", "0.0 +/- 1.3", "0.0 +/- 1.3", "-0.1 +/- 1.3", "2.6 +/- 1.3"]
        );
        assert_eq!(unsigned_zero(-1.234, 2), -1.23);
        assert!(unsigned_zero(-0.001, 2).is_sign_positive());
        assert_eq!(Estimate::new(1.0, f64::NAN).error, None);
    }

    #[test]
    fn the_normal_distribution_is_close() {
        for (x, expected) in [
            (0.0, 0.5),
            (0.5, 0.691_462_461_274_013_1),
            (1.0, 0.841_344_746_068_542_9),
            (-1.0, 0.158_655_253_931_457_07),
            (1.96, 0.975_002_104_851_779_6),
            (-2.5, 0.006_209_665_325_776_159),
            (3.0, 0.998_650_101_968_369_9),
        ] {
            assert!((normal_distribution(x) - expected).abs() < 7.5e-8, "{x}");
        }
    }
}
