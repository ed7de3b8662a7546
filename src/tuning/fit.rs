//! Training a network: gradient descent with the Adam rule (Kingma, Ba 2014) on the cross entropy between the
//! chance of winning by the corrected evaluation and a blend of search score and game result.

use super::Fit as Arguments;
use super::sample::Sample;
use crate::fen::counted;
use crate::files::{named, write_whole};
use crate::game::Searchable;
use crate::network::{HIDDEN, LARGEST_WEIGHT, Learned, Network, Weights};
use crate::with_game;
use rayon::prelude::*;
use std::error::Error;
use std::fs;

/// Positions per gradient step.
const BATCH: usize = 8192;
/// Parts of a batch that are computed in parallel; a fixed number, so that the sums do not depend on the threads.
const PARTS: usize = 4;
/// Positions of a file are held out in blocks of this many, so that those of one game stay together.
const BLOCK: usize = 500;
/// One block in so many is held out.
const HELD_OUT: usize = 20;
/// Scores are clamped to this.
const LARGEST_SCORE: i32 = 2_000;

/// Positions as the trainer sees them.
#[derive(Default)]
struct Data {
    /// Where the inputs of each position begin; one more than there are positions.
    starts: Vec<u32>,
    inputs: Vec<u16>,
    phases: Vec<u8>,
    scores: Vec<i16>,
    results: Vec<i8>,
    /// The lead in material.
    bases: Vec<i16>,
    /// The present evaluation, for comparison.
    evaluations: Vec<i16>,
}

impl Data {
    fn len(&self) -> usize {
        self.phases.len()
    }

    fn push<G: Learned + Searchable>(&mut self, game: &G, sample: &Sample<G::Position>) {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        game.inputs(&sample.position, |input| self.inputs.push(input as u16));
        self.starts.push(self.inputs.len() as u32);
        self.phases.push(game.phase(&sample.position) as u8);
        self.scores.push(sample.score.clamp(-LARGEST_SCORE, LARGEST_SCORE) as i16);
        self.results.push(sample.result as i8);
        self.bases.push(game.base(&sample.position).clamp(-LARGEST_SCORE, LARGEST_SCORE) as i16);
        self.evaluations.push(game.evaluate(&sample.position).clamp(-LARGEST_SCORE, LARGEST_SCORE) as i16);
    }

    fn inputs(&self, i: usize) -> &[u16] {
        &self.inputs[self.starts[i] as usize..self.starts[i + 1] as usize]
    }

    fn result(&self, i: usize) -> f32 {
        f32::from(self.results[i]) * 0.5 + 0.5
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

/// The scale at which the scores predict the results best.
fn fitted_scale(data: &Data) -> i32 {
    let loss = |scale: i32| loss(data, scale as f32, 0.0, |i| f32::from(data.scores[i]) / scale as f32);
    (30..=600)
        .step_by(10)
        .map(|scale| (scale, loss(scale)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map_or(200, |best| best.0)
}

/// The sum of the rows of a position, and its evaluation with the network, in units of the scale.
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

/// The Adam rule's memory.
struct Adam {
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: i32,
}

impl Adam {
    fn new(len: usize) -> Adam {
        Adam { mean: vec![0.0; len], square: vec![0.0; len], steps: 0 }
    }

    fn step(&mut self, numbers: &mut [f32], parts: &[Vec<f32>], rate: f32, decay: f32, count: usize) {
        const KEEP: [f32; 2] = [0.9, 0.999];
        self.steps += 1;
        let corrections = KEEP.map(|keep| 1.0 / (1.0 - keep.powi(self.steps)));
        let share = 1.0 / count as f32;
        let memory = self.mean.par_iter_mut().zip(&mut self.square);
        numbers.par_iter_mut().zip(memory).enumerate().for_each(|(i, (number, (mean, square)))| {
            let gradient = parts.iter().map(|part| part[i]).sum::<f32>() * share;
            *mean += (1.0 - KEEP[0]) * (gradient - *mean);
            *square += (1.0 - KEEP[1]) * (gradient * gradient - *square);
            let step = rate * *mean * corrections[0] / ((*square * corrections[1]).sqrt() + 1e-8);
            *number = (*number * (1.0 - rate * decay) - step).clamp(-LARGEST_WEIGHT, LARGEST_WEIGHT);
        });
    }
}

fn read<G: Learned + Searchable>(game: &G, arguments: &Arguments) -> Result<[Data; 2], Box<dyn Error>> {
    let mut sets = [Data::default(), Data::default()];
    for path in &arguments.data {
        let text = fs::read_to_string(path).map_err(named(path))?;
        let lines: Vec<&str> = text.lines().collect();
        let samples: Vec<_> = lines.par_iter().map(|line| Sample::parse(game, line)).collect();
        for (i, sample) in samples.into_iter().enumerate() {
            let sample = sample.map_err(|fault| format!("{}:{}: {fault}", path.display(), i + 1))?;
            sets[usize::from((i / BLOCK).is_multiple_of(HELD_OUT))].push(game, &sample);
        }
    }
    Ok(sets)
}

/// Mean loss of the predictions `value`, in units of the scale.
fn loss(data: &Data, scale: f32, share: f32, value: impl Fn(usize) -> f32 + Sync) -> f64 {
    let loss = |i| f64::from(cross_entropy(sigmoid(value(i)), data.target(i, scale, share)));
    (0..data.len()).into_par_iter().map(loss).sum::<f64>() / data.len() as f64
}

/// Small random weights to start from.
fn fresh_weights<G: Learned>(rng: &mut fastrand::Rng) -> Weights {
    let mut weights = Weights::zero(G::INPUTS, G::PHASES);
    let (heads, rows, head_biases) = (weights.head(0), weights.row(0), weights.head_bias(0));
    weights.numbers[..heads].fill(0.2);
    weights.numbers[heads..rows].fill_with(|| (rng.f32() - 0.5) * 0.2);
    weights.numbers[rows..head_biases].fill_with(|| (rng.f32() - 0.5) * 0.1);
    weights
}

fn train<G: Learned + Searchable>(game: &G, arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let [data, held_out] = read(game, arguments)?;
    if data.len() == 0 || held_out.len() == 0 {
        let most = BLOCK + 1;
        let found = counted(data.len() + held_out.len(), "position");
        return Err(format!("{found}, expected at least {most}").into());
    }
    let scale = arguments.scale.unwrap_or_else(|| fitted_scale(&data));
    println!("{} positions, {} held out, scale {scale}", data.len(), held_out.len());
    let scale_f = scale as f32;
    let share = arguments.score_share;
    let loss_of = |values: &[i16]| loss(&held_out, scale_f, share, |i| f32::from(values[i]) / scale_f);
    println!("held out: loss of the scores {:.5}", loss_of(&held_out.scores));
    println!("held out: loss of the present evaluation {:.5}", loss_of(&held_out.evaluations));
    println!("held out: loss of the material {:.5}", loss_of(&held_out.bases));

    let mut rng = fastrand::Rng::with_seed(1);
    let mut weights = match &arguments.from {
        Some(path) => {
            let bytes = fs::read(path).map_err(named(path))?;
            let network = Network::read(&bytes, G::INPUTS, G::PHASES);
            network.ok_or_else(|| format!("{}: not a network for these rules", path.display()))?.weights().0
        }
        None => fresh_weights::<G>(&mut rng),
    };
    let mut adam = Adam::new(weights.numbers.len());
    let mut order: Vec<u32> = (0..data.len() as u32).collect();
    for epoch in 0..arguments.epochs {
        rng.shuffle(&mut order);
        let progress = epoch as f32 / arguments.epochs as f32;
        let rate = arguments.rate * 0.01f32.powf(progress);
        let mut total = 0.0;
        for batch in order.chunks(BATCH) {
            let parts: Vec<_> = batch
                .par_chunks(batch.len().div_ceil(PARTS))
                .map(|positions| {
                    let mut gradient = vec![0.0; weights.numbers.len()];
                    let loss = backward(&weights, &data, positions, scale_f, share, &mut gradient);
                    (gradient, loss)
                })
                .collect();
            let (gradients, losses): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
            total += losses.into_iter().sum::<f64>();
            adam.step(&mut weights.numbers, &gradients, rate, arguments.decay, batch.len());
        }
        let held = loss(&held_out, scale_f, share, |i| forward(&weights, &held_out, i, scale_f).1);
        println!("epoch {:3} loss {:.5} held out {held:.5}", epoch + 1, total / data.len() as f64);
    }
    write_whole(&arguments.out, &Network::serialize(&weights, scale))?;
    Ok(())
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    rayon::ThreadPoolBuilder::new().num_threads(arguments.threads.max(1)).build()?.install(|| {
        with_game!(arguments.variant.rules(), |game| train(&game, arguments).map_err(|error| error.to_string()))
    })?;
    Ok(())
}
