//! Trains a network by gradient descent with the Adam rule (Kingma, Ba 2014). The loss is the cross entropy between the
//! chance of winning by the corrected evaluation and a blend of search score and game result.

use super::sample::{Sample, SampleError};
use millbrain_core::game::fen::counted;
use millbrain_core::game::{Notation, Searchable};
use millbrain_core::network::{HIDDEN, Learned, MAX_ROW_WEIGHT, MAX_WEIGHT, Network, NetworkError, Weights};
use millbrain_core::threads::{self, NoThreads};
use millbrain_core::variant::Variant;
use millbrain_core::with_game;
use millbrain_files::lines::read_text;
use millbrain_files::{InFile, can_write_whole, named, write_whole};
use rayon::prelude::*;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The number of positions per gradient step.
const BATCH: usize = 8192;
/// The number of parts of a batch that are computed in parallel; fixed, so that the sums do not depend on the threads.
const PARTS: usize = 4;
/// The size of the blocks in which positions of a file are held out, so that those of one game stay together.
const BLOCK: usize = 500;
/// One in this many blocks is held out.
const HELD_OUT: usize = 20;
/// The largest distance: wins and losses in more plies count as this.
const FAR: u32 = 100;
/// The limit to which scores are clamped, in centistones.
const MAX_SCORE: i32 = 2_000;

/// The data and parameters of a training.
#[derive(Clone, Debug)]
pub struct Fit {
    /// Variant whose network is trained.
    pub variant: Variant,
    /// Files of positions, as [`play`](super::play()) writes them.
    pub data: Vec<PathBuf>,
    /// Network to start from, of any rules of the family; without one, random weights.
    pub from: Option<PathBuf>,
    /// Passes over the data.
    pub epochs: u32,
    /// Share of the search score in the target, 0..=1; the rest is the result of the game.
    pub score_share: f32,
    /// The amount by which a win in 100 plies or more is worth less than one at once, 0..=1, and a loss likewise;
    /// linear in between.
    pub win_decay: f32,
    /// Initial step size; it decays to a hundredth of this.
    pub rate: f32,
    /// Weight decay per step, relative to the step size.
    pub decay: f32,
    /// Centistones that change the odds by a factor of e; if `None`, fitted to the results.
    pub scale: Option<i32>,
    /// Threads, from 1. The network does not depend on them.
    pub threads: usize,
    /// File to write the network to.
    pub out: PathBuf,
}

/// The progress of a training. Losses are mean cross entropies, in nats.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Progress {
    /// The positions have been read.
    Read {
        /// Positions to train on.
        positions: usize,
        /// Positions held out.
        held_out: usize,
        /// Centistones that change the odds by a factor of e.
        scale: i32,
        /// Loss of the search scores on the positions held out.
        scores: f64,
        /// Loss of the present evaluation on them.
        evaluation: f64,
        /// Loss of the lead in material on them.
        material: f64,
    },
    /// A pass over the data is complete.
    Epoch {
        /// Number of the pass, from 1.
        number: u32,
        /// Loss on the data.
        loss: f64,
        /// Loss on the positions held out.
        held_out: f64,
    },
}

/// The reason why no network was trained.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// A file cannot be read or written.
    #[error("{0}")]
    File(#[from] InFile<io::Error>),
    /// A line is not a labelled position.
    #[error("{}:{line}: {source}", path.display())]
    Sample {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// The fault in the line.
        source: SampleError,
    },
    /// There are too few positions to hold any out.
    #[error("{}, expected at least {}", counted(*.0, "position"), BLOCK + 1)]
    TooFew(usize),
    /// There is nothing to learn from: all scores are certain, or there are none.
    #[error("no position with a score that is not certain, expected at least one")]
    NoScores,
    /// The file to start from is not a network for these rules.
    #[error(transparent)]
    Network(#[from] InFile<NetworkError>),
    /// The threads cannot be started.
    #[error(transparent)]
    Threads(#[from] NoThreads),
    /// The progress cannot be reported.
    #[error("{0}")]
    Report(#[source] io::Error),
}

/// Reports the progress; an error, such as a closed output, ends the training.
type Report<'a> = &'a mut (dyn FnMut(Progress) -> io::Result<()> + Send);

/// Positions in the form of the trainer.
#[derive(Default)]
struct Data {
    /// The beginnings of the inputs of each position; one more than there are positions.
    starts: Vec<u32>,
    inputs: Vec<u16>,
    phases: Vec<u8>,
    scores: Vec<i16>,
    /// 1 for a win, 0 for a draw, -1 for a loss; a far win or loss is nearer to a draw.
    results: Vec<f32>,
    /// The lead in material.
    bases: Vec<i16>,
    /// The present evaluation, for comparison.
    evaluations: Vec<i16>,
}

impl Data {
    fn len(&self) -> usize {
        self.phases.len()
    }

    fn push<G: Learned + Searchable>(&mut self, game: &G, sample: &Sample<G::Position>, win_decay: f32) {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        game.inputs(&sample.position, |input| self.inputs.push(input as u16));
        self.starts.push(self.inputs.len() as u32);
        self.phases.push(game.phase(&sample.position) as u8);
        self.scores.push(sample.score.clamp(-MAX_SCORE, MAX_SCORE) as i16);
        let far = sample.plies.map_or(0.0, |plies| plies.min(FAR) as f32 / FAR as f32);
        self.results.push(sample.result as f32 * (1.0 - win_decay * far));
        self.bases.push(game.base(&sample.position).clamp(-MAX_SCORE, MAX_SCORE) as i16);
        self.evaluations.push(game.evaluate(&sample.position).clamp(-MAX_SCORE, MAX_SCORE) as i16);
    }

    fn inputs(&self, i: usize) -> &[u16] {
        &self.inputs[self.starts[i] as usize..self.starts[i + 1] as usize]
    }

    fn result(&self, i: usize) -> f32 {
        self.results[i] * 0.5 + 0.5
    }

    fn target(&self, i: usize, scale: f32, score_share: f32) -> f32 {
        score_share * sigmoid(f32::from(self.scores[i]) / scale) + (1.0 - score_share) * self.result(i)
    }
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

fn cross_entropy(chance: f32, target: f32) -> f32 {
    let chance = chance.clamp(1e-6, 1.0 - 1e-6);
    -(target * chance.ln() + (1.0 - target) * (1.0 - chance).ln())
}

/// Returns the scale at which the scores predict the results best.
fn fitted_scale(data: &Data) -> i32 {
    let loss = |scale: i32| loss(data, scale as f32, 0.0, |i| f32::from(data.scores[i]) / scale as f32);
    (30..=600)
        .step_by(10)
        .map(|scale| (scale, loss(scale)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map_or(200, |best| best.0)
}

/// Returns the sum of the rows of a position, and its evaluation with the network, in units of the scale.
fn forward(weights: &Weights, data: &Data, i: usize, scale: f32) -> ([f32; HIDDEN], f32) {
    let numbers = &weights.numbers;
    let mut sum = [0.0; HIDDEN];
    sum.copy_from_slice(&numbers[..HIDDEN]);
    for &input in data.inputs(i) {
        let row = weights.row(usize::from(input));
        for (to, from) in sum.iter_mut().zip(&numbers[row..row + HIDDEN]) {
            *to += from;
        }
    }
    let phase = usize::from(data.phases[i]);
    let head = weights.head(phase);
    let mut output = f32::from(data.bases[i]) / scale + numbers[weights.head_bias(phase)];
    for (&value, weight) in sum.iter().zip(&numbers[head..head + HIDDEN]) {
        let active = value.clamp(0.0, 1.0);
        output += active * active * weight;
    }
    (sum, output)
}

/// Adds the gradient of the loss of these positions, and returns the loss.
fn backward(weights: &Weights, data: &Data, positions: &[u32], scale: f32, share: f32, gradient: &mut [f32]) -> f64 {
    let mut loss = 0.0;
    for &i in positions {
        let i = i as usize;
        let (sum, output) = forward(weights, data, i, scale);
        let target = data.target(i, scale, share);
        let chance = sigmoid(output);
        loss += f64::from(cross_entropy(chance, target));
        let error = chance - target;
        let phase = usize::from(data.phases[i]);
        let head = weights.head(phase);
        gradient[weights.head_bias(phase)] += error;
        let mut slope = [0.0; HIDDEN];
        for h in 0..HIDDEN {
            let active = sum[h].clamp(0.0, 1.0);
            gradient[head + h] += error * active * active;
            if sum[h] > 0.0 && sum[h] < 1.0 {
                slope[h] = error * 2.0 * active * weights.numbers[head + h];
            }
        }
        let mut add = |at: usize| {
            for (to, from) in gradient[at..at + HIDDEN].iter_mut().zip(slope) {
                *to += from;
            }
        };
        add(0);
        for &input in data.inputs(i) {
            add(weights.row(usize::from(input)));
        }
    }
    loss
}

/// The state of the Adam rule.
struct Adam {
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: i32,
}

impl Adam {
    fn new(len: usize) -> Adam {
        Adam { mean: vec![0.0; len], square: vec![0.0; len], steps: 0 }
    }

    /// Moves all weights of a network a step against the gradient.
    fn step(&mut self, weights: &mut Weights, parts: &[Vec<f32>], rate: f32, decay: f32, count: usize) {
        const KEEP: [f32; 2] = [0.9, 0.999];
        self.steps += 1;
        let corrections = KEEP.map(|keep| 1.0 / (1.0 - keep.powi(self.steps)));
        let share = 1.0 / count as f32;
        let rows = weights.row(0)..weights.head_bias(0);
        let memory = self.mean.par_iter_mut().zip(&mut self.square);
        weights.numbers.par_iter_mut().zip(memory).enumerate().for_each(|(i, (number, (mean, square)))| {
            let gradient = parts.iter().map(|part| part[i]).sum::<f32>() * share;
            *mean += (1.0 - KEEP[0]) * (gradient - *mean);
            *square += (1.0 - KEEP[1]) * (gradient * gradient - *square);
            let step = rate * *mean * corrections[0] / ((*square * corrections[1]).sqrt() + 1e-8);
            let limit = if rows.contains(&i) { MAX_ROW_WEIGHT } else { MAX_WEIGHT };
            *number = (*number * (1.0 - rate * decay) - step).clamp(-limit, limit);
        });
    }
}

/// Returns the positions of a file, in order.
pub(super) fn read_samples<G: Notation + Sync>(game: &G, path: &Path) -> Result<Vec<Sample<G::Position>>, FitError>
where
    G::Position: Send,
{
    let text = read_text(path)?;
    let lines: Vec<&str> = text.lines().collect();
    let samples: Vec<_> = lines.par_iter().map(|line| Sample::parse(game, line)).collect();
    let faulty = |line, source| FitError::Sample { path: path.to_path_buf(), line, source };
    (1..).zip(samples).map(|(line, sample)| sample.map_err(|source| faulty(line, source))).collect()
}

/// Returns the positions to train on, and those held out.
fn read<G: Learned + Searchable>(game: &G, request: &Fit) -> Result<[Data; 2], FitError> {
    let mut sets = [Data::default(), Data::default()];
    for path in &request.data {
        for (i, sample) in read_samples(game, path)?.into_iter().enumerate() {
            sets[usize::from((i / BLOCK).is_multiple_of(HELD_OUT))].push(game, &sample, request.win_decay);
        }
    }
    let [data, held_out] = &sets;
    if data.len() == 0 || held_out.len() == 0 {
        return Err(FitError::TooFew(data.len() + held_out.len()));
    }
    Ok(sets)
}

/// Returns the mean loss of the predictions `value`, in units of the scale.
fn loss(data: &Data, scale: f32, share: f32, value: impl Fn(usize) -> f32 + Sync) -> f64 {
    let loss = |i| f64::from(cross_entropy(sigmoid(value(i)), data.target(i, scale, share)));
    (0..data.len()).into_par_iter().map(loss).sum::<f64>() / data.len() as f64
}

/// Returns small random weights to start from.
fn fresh_weights<G: Learned>(rng: &mut fastrand::Rng) -> Weights {
    let mut weights = Weights::zero(G::INPUTS, G::PHASES);
    let (heads, rows, head_biases) = (weights.head(0), weights.row(0), weights.head_bias(0));
    weights.numbers[..heads].fill(0.2);
    weights.numbers[heads..rows].fill_with(|| (rng.f32() - 0.5) * 0.2);
    weights.numbers[rows..head_biases].fill_with(|| (rng.f32() - 0.5) * 0.1);
    weights
}

/// Returns the weights to start from: those of a file, or random ones.
fn first_weights<G: Learned>(request: &Fit, rng: &mut fastrand::Rng) -> Result<Weights, FitError> {
    let Some(path) = &request.from else { return Ok(fresh_weights::<G>(rng)) };
    let bytes = fs::read(path).map_err(named(path))?;
    Ok(Network::read::<G>(&bytes).map_err(named(path))?.weights().0)
}

/// Reads the positions, trains a network of the game on them, and writes it.
fn fit_for<G: Learned + Searchable>(game: &G, request: &Fit, report: Report<'_>) -> Result<(), FitError> {
    let sets = read(game, request)?;
    let mut rng = fastrand::Rng::with_seed(1);
    let mut weights = first_weights::<G>(request, &mut rng)?;
    let scale = train(&mut weights, &sets, request, &mut rng, report)?;
    let network = Network::serialize::<G>(&weights, scale);
    Ok(write_whole(&request.out, &network).map_err(named(&request.out))?)
}

/// Trains the weights on the first of these sets, and returns their scale. Losses are measured on the second.
fn train(
    weights: &mut Weights,
    [data, held_out]: &[Data; 2],
    request: &Fit,
    rng: &mut fastrand::Rng,
    report: Report<'_>,
) -> Result<i32, FitError> {
    let scale = request.scale.unwrap_or_else(|| fitted_scale(data));
    let scale_f = scale as f32;
    let share = request.score_share;
    let loss_of = |values: &[i16]| loss(held_out, scale_f, share, |i| f32::from(values[i]) / scale_f);
    let read = Progress::Read {
        positions: data.len(),
        held_out: held_out.len(),
        scale,
        scores: loss_of(&held_out.scores),
        evaluation: loss_of(&held_out.evaluations),
        material: loss_of(&held_out.bases),
    };
    report(read).map_err(FitError::Report)?;

    let mut adam = Adam::new(weights.numbers.len());
    let mut order: Vec<u32> = (0..data.len() as u32).collect();
    for epoch in 0..request.epochs {
        rng.shuffle(&mut order);
        let progress = epoch as f32 / request.epochs as f32;
        let rate = request.rate * 0.01f32.powf(progress);
        let mut total = 0.0;
        for batch in order.chunks(BATCH) {
            let parts: Vec<_> = batch
                .par_chunks(batch.len().div_ceil(PARTS))
                .map(|positions| {
                    let mut gradient = vec![0.0; weights.numbers.len()];
                    let loss = backward(weights, data, positions, scale_f, share, &mut gradient);
                    (gradient, loss)
                })
                .collect();
            let (gradients, losses): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
            total += losses.into_iter().sum::<f64>();
            adam.step(weights, &gradients, rate, request.decay, batch.len());
        }
        let held = loss(held_out, scale_f, share, |i| forward(weights, held_out, i, scale_f).1);
        let epoch = Progress::Epoch { number: epoch + 1, loss: total / data.len() as f64, held_out: held };
        report(epoch).map_err(FitError::Report)?;
    }
    Ok(scale)
}

/// Trains a network and writes it to its file, which is unchanged after an error.
///
/// # Errors
/// Fails if files cannot be read or written, for faulty or too few positions, or if a report fails.
pub fn fit(request: &Fit, report: Report<'_>) -> Result<(), FitError> {
    let out = &request.out;
    // Checked now rather than when the network has been trained.
    can_write_whole(out).map_err(named(out))?;
    let pool = threads::pool(request.threads.max(1))?;
    pool.install(|| with_game!(request.variant.rules(), |game| fit_for(&game, request, report)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use millbrain_core::game::Game;
    use millbrain_core::morris::{CUSTOM, Morris, rules};

    #[test]
    fn far_wins_are_nearer_to_draws() {
        let game = Morris::<CUSTOM>::new(rules::MORRIS);
        let position = game.start();
        let mut data = Data::default();
        let labels =
            [(1, None), (1, Some(0)), (1, Some(50)), (-1, Some(50)), (1, Some(100)), (1, Some(900)), (0, None)];
        for (result, plies) in labels {
            data.push(&game, &Sample { position, score: 0, result, plies }, 0.5);
        }
        let results: Vec<f32> = (0..data.len()).map(|i| data.result(i)).collect();
        assert_eq!(results, [1.0, 1.0, 0.875, 0.125, 0.75, 0.75, 0.5]);
        // Half of the target is the score, here of an even position.
        assert_eq!(data.target(2, 200.0, 0.5), 0.6875);
    }
}
