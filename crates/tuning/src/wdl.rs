//! Fits the model that turns scores into results.

use super::fit::{FitError, read_samples};
use millbrain_core::any;
use millbrain_core::game::Searchable;
use millbrain_core::search::score::{WdlModel, is_known};
use millbrain_core::variant::Variant;
use millbrain_core::with_game;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The model that predicts the results of games best, beside the present one. Losses are mean cross entropies, in nats.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FittedWdl {
    /// Positions with a score that is not certain.
    pub positions: usize,
    /// The best model.
    pub model: WdlModel,
    /// Its loss.
    pub loss: f64,
    /// The model that these rules have.
    pub present: WdlModel,
    /// Its loss.
    pub present_loss: f64,
}

/// The numbers of losses, draws and wins that followed each score.
type Counts = BTreeMap<i32, [u32; 3]>;

/// Fits the model of a variant to files of positions, as [`play`](super::play()) writes them. It is meant for games
/// between equals without tables: there a result is the outcome of the game, not the value of the position.
///
/// # Errors
/// Fails if files cannot be read, for faulty positions, or if none has a score that is not certain.
pub fn fit_wdl(variant: Variant, data: &[PathBuf]) -> Result<FittedWdl, FitError> {
    let counts = with_game!(variant.rules(), |game| counts(&game, data))?;
    let positions = counts.values().flatten().map(|&count| count as usize).sum();
    if positions == 0 {
        return Err(FitError::NoScores);
    }
    let present = any::wdl_model(variant.rules());
    let (model, loss) = best(&counts);
    Ok(FittedWdl { positions, model, loss, present, present_loss: self::loss(&counts, present) })
}

fn counts<G: Searchable>(game: &G, data: &[PathBuf]) -> Result<Counts, FitError> {
    let mut counts = Counts::new();
    for path in data {
        for sample in read_samples(game, path)? {
            if !is_known(sample.score) {
                counts.entry(sample.score).or_default()[(sample.result + 1) as usize] += 1;
            }
        }
    }
    Ok(counts)
}

/// Returns the mean cross entropy between a model and the results.
fn loss(counts: &Counts, model: WdlModel) -> f64 {
    let mut sum = 0.0;
    for (&score, &results) in counts {
        let (win, loss) = (model.win(score), model.win(-score));
        let chances = [loss, 1.0 - win - loss, win];
        sum -= results.iter().zip(chances).map(|(&n, chance)| f64::from(n) * chance.max(1e-6).ln()).sum::<f64>();
    }
    sum / counts.values().flatten().map(|&count| f64::from(count)).sum::<f64>()
}

/// Finds the model with the least loss, to a centistone: by steps to the best neighbour, which are halved where there
/// is none.
fn best(counts: &Counts) -> (WdlModel, f64) {
    const MOST: i32 = 2_000;
    let mut at = WdlModel::default();
    let mut least = loss(counts, at);
    let mut step = 64;
    while step > 0 {
        let sides = [-step, 0, step];
        let neighbours = sides.into_iter().flat_map(|margin| sides.map(|spread| (margin, spread)));
        let models = neighbours.map(|(margin, spread)| WdlModel {
            margin: (at.margin + margin).clamp(1, MOST),
            spread: (at.spread + spread).clamp(1, MOST),
        });
        let (model, found) = models
            .map(|model| (model, loss(counts, model)))
            .fold((at, least), |best, next| if next.1 < best.1 { next } else { best });
        if found < least {
            (at, least) = (model, found);
        } else {
            step /= 2;
        }
    }
    (at, least)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fitting results in the proportions of a model returns that model.
    #[test]
    fn a_model_is_found_again() {
        for model in [WdlModel { margin: 40, spread: 210 }, WdlModel { margin: 333, spread: 61 }] {
            let reported = |score: i32| {
                let [win, draw, loss] = model.wdl(score);
                (score, [loss, draw, win])
            };
            let counts: Counts = (-900..=900).step_by(15).map(reported).collect();
            let (found, least) = best(&counts);
            assert!((found.margin - model.margin).abs() <= 1 && (found.spread - model.spread).abs() <= 1, "{found:?}");
            assert!(least < loss(&counts, WdlModel::default()));
        }
    }
}
