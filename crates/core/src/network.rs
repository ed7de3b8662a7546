//! A small network that evaluates positions beyond material. Each input of a position selects a row of weights; the sum
//! of these rows is clipped, squared, and weighted by an output head for the phase of the game.
//!
//! The inputs of a position are a set of row numbers, seen from the side to move: patterns of points for the morris
//! family, pieces for Smess. A sum of a few rows of [`HIDDEN`] numbers is cheap enough to be computed from scratch at
//! every node. Squared clipped activations and the integer scheme are those in common use for efficiently updatable
//! networks (Nasu 2018, and the chess engines since).

use crate::game::Game;
use miniz_oxide::deflate::core::{
    CompressionStrategy, CompressorOxide, TDEFLFlush, compress, create_comp_flags_from_zip_params,
};
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
use std::array;
use std::sync::OnceLock;

/// Width of the sum of rows.
pub const HIDDEN: usize = 32;
/// Activation 1.0 as an integer.
const UNIT: i16 = 255;
/// Head weight 1.0 as an integer.
const HEAD_UNIT: i32 = 64;
/// Largest absolute weight of heads and bias that the integers can hold.
pub const MAX_WEIGHT: f32 = 1.98;
/// Largest absolute weight of the row of an input.
pub const MAX_ROW_WEIGHT: f32 = i8::MAX as f32 / UNIT as f32;

/// Creates a slot for the network of this name, whose file is beside the calling module. It is part of the program if
/// networks are.
macro_rules! network_slot {
    ($name:literal) => {{
        #[cfg(feature = "networks")]
        let bytes: Option<&'static [u8]> = Some(include_bytes!(concat!($name, ".net")));
        #[cfg(not(feature = "networks"))]
        let bytes: Option<&'static [u8]> = None;
        $crate::network::NetworkSlot::new($name, bytes)
    }};
}
pub(crate) use network_slot;

/// A row of weights, aligned to a cache line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(64))]
struct Row([i16; HIDDEN]);

/// A game that a network evaluates, if it has one: a family without a network implements none of the methods.
pub trait Learned: Game {
    /// Number of inputs.
    const INPUTS: usize = 0;
    /// Number of phases, each with its own output head.
    const PHASES: usize = 1;

    /// Calls `sink` with the number of each input that a position has.
    fn inputs(&self, _: &Self::Position, _sink: impl FnMut(usize)) {}

    /// Returns the phase of a position.
    fn phase(&self, _: &Self::Position) -> usize {
        0
    }

    /// Returns the evaluation that the network corrects: the lead in material, in centistones from the side to move.
    fn base(&self, _: &Self::Position) -> i32 {
        0
    }

    /// Returns the slot of the network for these rules, or `None` for rules without one.
    fn network_slot(&self) -> Option<&'static NetworkSlot> {
        None
    }

    /// Returns the network's correction of [`Learned::base`], in centistones from the side to move; 0 without a
    /// network.
    #[inline(always)]
    fn correction(&self, pos: &Self::Position) -> i32
    where
        Self: Sized,
    {
        let network = self.network_slot().and_then(|slot| slot.get::<Self>());
        network.map_or(0, |network| network.correction(self, pos))
    }
}

/// The network of some rules: part of the program, or installed at run time.
pub struct NetworkSlot {
    name: &'static str,
    embedded: Option<&'static [u8]>,
    network: OnceLock<Network>,
}

/// The reason why a network cannot be installed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// The bytes are not a network for this game.
    #[error("{bytes} bytes are no network for this game, expected {expected} packed with zlib")]
    Size {
        /// Length found.
        bytes: usize,
        /// Unpacked length of the networks of this game.
        expected: usize,
    },
    /// There is already a network.
    #[error("these rules have a network already")]
    Taken,
    /// The family has no network.
    #[error("these rules have no network")]
    None,
}

impl NetworkSlot {
    /// Creates a slot for the network of this name: with these bytes, or one that is installed later.
    pub const fn new(name: &'static str, embedded: Option<&'static [u8]>) -> NetworkSlot {
        NetworkSlot { name, embedded, network: OnceLock::new() }
    }

    /// Returns the name of the network, which is that of its file.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the network, if there is one.
    #[inline(always)]
    pub fn get<G: Learned>(&'static self) -> Option<&'static Network> {
        self.network.get().or_else(|| self.unpack::<G>())
    }

    /// Unpacks the embedded network; the tests check that each fits.
    #[cold]
    #[inline(never)]
    fn unpack<G: Learned>(&'static self) -> Option<&'static Network> {
        let network = Network::read(self.embedded?, G::INPUTS, G::PHASES)?;
        Some(self.network.get_or_init(|| network))
    }

    /// Installs a network in serial form.
    ///
    /// # Errors
    /// Fails if the bytes are not a network for this game, or there is already one.
    pub fn install<G: Learned>(&'static self, bytes: &[u8]) -> Result<(), NetworkError> {
        if self.get::<G>().is_some() {
            return Err(NetworkError::Taken);
        }
        let expected = Network::bytes(G::INPUTS, G::PHASES);
        let network = Network::read(bytes, G::INPUTS, G::PHASES);
        let network = network.ok_or(NetworkError::Size { bytes: bytes.len(), expected })?;
        self.network.set(network).map_err(|_| NetworkError::Taken)
    }
}

/// The weights of a network as training uses them, in one list: a bias row, a head for each phase, a row for each
/// input, all of [`HIDDEN`] numbers, and a head bias for each phase.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    /// Number of phases.
    pub phases: usize,
    /// All the numbers.
    pub numbers: Vec<f32>,
}

impl Weights {
    /// Returns zero weights.
    pub fn zero(inputs: usize, phases: usize) -> Weights {
        Weights { phases, numbers: vec![0.0; (1 + phases + inputs) * HIDDEN + phases] }
    }

    /// Returns the beginning of a phase's head.
    pub const fn head(&self, phase: usize) -> usize {
        (1 + phase) * HIDDEN
    }

    /// Returns the beginning of an input's row.
    pub const fn row(&self, input: usize) -> usize {
        (1 + self.phases + input) * HIDDEN
    }

    /// Returns the index of a phase's head bias.
    pub const fn head_bias(&self, phase: usize) -> usize {
        self.numbers.len() - self.phases + phase
    }
}

/// Packs bytes with zlib. Weights repeat no sequences: searching for some would only spoil the code of single bytes.
fn packed(bytes: &[u8]) -> Vec<u8> {
    const LEVEL: i32 = 9;
    const WINDOW_BITS: i32 = 15;
    let flags = create_comp_flags_from_zip_params(LEVEL, WINDOW_BITS, CompressionStrategy::HuffmanOnly as i32);
    // More than incompressible bytes take.
    let mut out = vec![0; bytes.len() + bytes.len() / 8 + 256];
    let (_, _, length) = compress(&mut CompressorOxide::new(flags), bytes, &mut out, TDEFLFlush::Finish);
    out.truncate(length);
    out
}

/// A trained network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Network {
    bias: Row,
    heads: Vec<Row>,
    rows: Vec<Row>,
    head_biases: Vec<i32>,
    /// Centistones for an output of 1.0, which changes the odds by a factor of e.
    scale: i32,
}

impl Network {
    /// Rounds weights to integers and serializes them, packed with zlib: 32-bit scale and head biases, 16-bit bias row
    /// and heads, all little-endian, then 8-bit rows. Weights beyond the range of these integers are clamped.
    pub fn serialize(weights: &Weights, scale: i32) -> Vec<u8> {
        let (numbers, head_biases) = weights.numbers.split_at(weights.head_bias(0));
        let (bias, rest) = numbers.split_at(HIDDEN);
        let (heads, rows) = rest.split_at(HIDDEN * weights.phases);
        let rounded = |weight: f32, unit: f32| (weight * unit).round();
        let (unit, head_unit) = (f32::from(UNIT), HEAD_UNIT as f32);
        let mut bytes = scale.to_le_bytes().to_vec();
        bytes.extend(head_biases.iter().flat_map(|&bias| (rounded(bias, unit * head_unit) as i32).to_le_bytes()));
        bytes.extend(bias.iter().flat_map(|&weight| (rounded(weight, unit) as i16).to_le_bytes()));
        bytes.extend(heads.iter().flat_map(|&weight| (rounded(weight, head_unit) as i16).to_le_bytes()));
        bytes.extend(rows.iter().map(|&weight| rounded(weight, unit) as i8 as u8));
        packed(&bytes)
    }

    /// Returns the length in bytes of the serial form, unpacked, of a network with these numbers of inputs and phases.
    pub const fn bytes(inputs: usize, phases: usize) -> usize {
        4 * (1 + phases) + 2 * HIDDEN * (1 + phases) + HIDDEN * inputs
    }

    /// Reads the serial form of a network with these numbers of inputs and phases; returns `None` if it is damaged or
    /// has another length.
    pub fn read(bytes: &[u8], inputs: usize, phases: usize) -> Option<Network> {
        let length = Network::bytes(inputs, phases);
        let bytes = decompress_to_vec_zlib_with_limit(bytes, length).ok()?;
        if bytes.len() != length {
            return None;
        }
        let (wide, rest) = bytes.split_at_checked(4 * (1 + phases))?;
        let (narrow, rows) = rest.split_at_checked(2 * HIDDEN * (1 + phases))?;
        let mut wide = wide.as_chunks().0.iter().map(|&bytes| i32::from_le_bytes(bytes));
        let scale = wide.next()?;
        let head_biases = wide.collect();
        let narrow = narrow.as_chunks().0;
        let mut narrow = narrow.as_chunks::<HIDDEN>().0.iter().map(|chunk| Row(chunk.map(i16::from_le_bytes)));
        let bias = narrow.next()?;
        let heads = narrow.collect();
        let rows = rows.as_chunks::<HIDDEN>().0.iter();
        let rows = rows.map(|chunk| Row(chunk.map(|byte| i16::from(byte as i8)))).collect();
        Some(Network { bias, heads, rows, head_biases, scale })
    }

    /// Returns the rounded weights and the scale, to continue training from.
    pub fn weights(&self) -> (Weights, i32) {
        let unit = f32::from(UNIT);
        let head_unit = HEAD_UNIT as f32;
        let numbers = |rows: &[Row], unit: f32| -> Vec<f32> {
            rows.iter().flat_map(|row| row.0).map(|weight| f32::from(weight) / unit).collect()
        };
        let mut all = numbers(&[self.bias], unit);
        all.extend(numbers(&self.heads, head_unit));
        all.extend(numbers(&self.rows, unit));
        all.extend(self.head_biases.iter().map(|&bias| bias as f32 / unit / head_unit));
        (Weights { phases: self.heads.len(), numbers: all }, self.scale)
    }

    /// Returns the correction to the lead in material, in centistones from the side to move.
    #[inline(always)]
    pub fn correction<G: Learned>(&self, game: &G, pos: &G::Position) -> i32 {
        let mut sum = self.bias.0;
        game.inputs(pos, |input| {
            for (to, from) in sum.iter_mut().zip(self.rows[input].0) {
                *to = to.saturating_add(from);
            }
        });
        let phase = game.phase(pos);
        let head = &self.heads[phase].0;
        let active = sum.map(|value| value.clamp(0, UNIT));
        // At most 255 times 127, which 16 bits hold.
        let weighted: [i16; HIDDEN] = array::from_fn(|i| active[i].wrapping_mul(head[i]));
        // In pairs, which processors multiply and add at once.
        let product = |i: usize| i32::from(weighted[i]) * i32::from(active[i]);
        let pairs: [i32; HIDDEN / 2] = array::from_fn(|i| product(2 * i) + product(2 * i + 1));
        let output: i32 = pairs.iter().sum();
        (output / i32::from(UNIT) + self.head_biases[phase]) * self.scale / (i32::from(UNIT) * HEAD_UNIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Notation;
    use crate::morris::{FLYING, Morris, rules};
    use crate::smess::{Rules, Smess};

    /// Returns weights that integers hold exactly.
    fn weights<G: Learned>(seed: u64) -> Weights {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut weights = Weights::zero(G::INPUTS, G::PHASES);
        let (heads, rows) = (weights.head(0), weights.row(0));
        for (i, number) in weights.numbers.iter_mut().enumerate() {
            let unit = if (heads..rows).contains(&i) { HEAD_UNIT as f32 } else { f32::from(UNIT) };
            *number = f32::from(rng.i8(..)) / unit;
        }
        weights
    }

    #[test]
    fn networks_survive_their_bytes() {
        let bytes = Network::serialize(&weights::<Smess>(1), 170);
        let network = Network::read(&bytes, Smess::INPUTS, Smess::PHASES).expect("the right length");
        let (again, scale) = network.weights();
        assert_eq!(Network::serialize(&again, scale), bytes);
        assert_eq!(scale, 170);
        let unpacked = decompress_to_vec_zlib_with_limit(&bytes, usize::MAX).expect("packed with zlib");
        assert_eq!(unpacked.len(), Network::bytes(Smess::INPUTS, Smess::PHASES));
        let mut damaged = bytes.clone();
        damaged[bytes.len() / 2] ^= 1;
        assert_eq!(Network::read(&damaged, Smess::INPUTS, Smess::PHASES), None);
        assert_eq!(Network::read(&unpacked, Smess::INPUTS, Smess::PHASES), None, "as it was before it was packed");
        assert_eq!(Network::read(&packed(&[&unpacked[..], &[0]].concat()), Smess::INPUTS, Smess::PHASES), None);
        assert_eq!(Network::read(&bytes[1..], Smess::INPUTS, Smess::PHASES), None);
        assert_eq!(Network::read(&bytes, Smess::INPUTS + 1, Smess::PHASES), None);
        assert_eq!(Network::read(&[], Smess::INPUTS, Smess::PHASES), None);
    }

    /// Rows hold less than heads: weights out of range are clamped.
    #[test]
    fn weights_out_of_range_are_cut() {
        let mut weights = Weights::zero(Smess::INPUTS, Smess::PHASES);
        let (head, row) = (weights.head(1), weights.row(3));
        for (at, weight) in [(0, MAX_WEIGHT), (head, -MAX_WEIGHT), (row, 2.0 * MAX_ROW_WEIGHT), (row + 1, -1.0)] {
            weights.numbers[at] = weight;
        }
        let network = Network::read(&Network::serialize(&weights, 1), Smess::INPUTS, Smess::PHASES).expect("whole");
        assert_eq!((network.bias.0[0], network.heads[1].0[0]), (505, -127));
        assert_eq!(network.rows[3].0[..3], [127, -128, 0]);
    }

    /// Compares the integer arithmetic with the formula in floating point, on the positions of a random game.
    fn check_arithmetic<G: Learned + Notation>(game: &G) {
        let weights = weights::<G>(2);
        let bytes = Network::serialize(&weights, 200);
        let network = Network::read(&bytes, G::INPUTS, G::PHASES).expect("the right length");
        let mut rng = fastrand::Rng::with_seed(3);
        let mut pos = game.start();
        while let Some(mv) = rng.choice(game.moves(&pos)) {
            let mut sum = weights.numbers[..HIDDEN].to_vec();
            game.inputs(&pos, |input| {
                assert!(input < G::INPUTS);
                let row = weights.row(input);
                sum.iter_mut().zip(&weights.numbers[row..]).for_each(|(to, from)| *to += from);
            });
            let phase = game.phase(&pos);
            let head = &weights.numbers[weights.head(phase)..];
            let active = sum.iter().map(|value| value.clamp(0.0, 1.0));
            let output: f32 = active.zip(head).map(|(active, weight)| active * active * weight).sum();
            let expected = (output + weights.numbers[weights.head_bias(phase)]) * 200.0;
            let found = network.correction(game, &pos) as f32;
            assert!((found - expected).abs() <= 1.5, "{found}, expected {expected}");
            pos = game.play(&pos, mv);
        }
    }

    #[test]
    fn integers_follow_the_formula() {
        check_arithmetic(&Morris::<FLYING>::new(rules::MORRIS));
        check_arithmetic(&Smess::new(Rules::default()));
    }
}
