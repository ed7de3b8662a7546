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
/// The first bytes of a network file.
const MAGIC: [u8; 8] = *b"millnet\x01";
/// The first byte of data packed with zlib: network files of versions up to 0.2 were nothing else.
const ZLIB: u8 = 0x78;
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
    /// The maximum number of inputs of a position.
    const MAX_INPUTS: usize = 0;
    /// The meaning of inputs and phases. It must change with them, so that old networks are rejected.
    const FEATURES: &'static str = "";

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

/// The reason why a network cannot be read or installed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// The file does not begin with the magic number.
    #[error("not a network, expected a file that 'tune fit' wrote")]
    Magic,
    /// The file has no magic number, but is packed like a network.
    #[error("a network without a header, as versions up to 0.2 wrote it; expected one of this version: train it again")]
    Headless,
    /// The network has other inputs, phases or units.
    #[error("a network for another game or version: layout {found:016x}, expected {expected:016x}")]
    Layout {
        /// Hash of the layout of the file.
        found: u64,
        /// Hash of the layout of the networks of this game.
        expected: u64,
    },
    /// The weights cannot be unpacked, or are not of the right number.
    #[error("a damaged network, expected {expected} bytes of weights packed with zlib")]
    Damaged {
        /// Unpacked length of the networks of this game.
        expected: usize,
    },
    /// There is a network already.
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
        let network = Network::read::<G>(self.embedded?).ok()?;
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
        self.network.set(Network::read::<G>(bytes)?).map_err(|_| NetworkError::Taken)
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

/// Returns the hash of the layout of the networks of a game: 64-bit FNV-1a of the features and of all numbers that the
/// weights depend on.
const fn layout<G: Learned>() -> u64 {
    const fn mix(mut hash: u64, bytes: &[u8]) -> u64 {
        let mut i = 0;
        while i < bytes.len() {
            hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0100_0000_01B3);
            i += 1;
        }
        hash
    }
    let mut hash = mix(0xCBF2_9CE4_8422_2325, G::FEATURES.as_bytes());
    let numbers = [G::INPUTS, G::PHASES, HIDDEN, UNIT as usize, HEAD_UNIT as usize];
    let mut i = 0;
    while i < numbers.len() {
        hash = mix(hash, &(numbers[i] as u64).to_le_bytes());
        i += 1;
    }
    hash
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
    /// Rounds weights to integers and returns a network file: the magic number, the hash of the layout, and packed with
    /// zlib 32-bit scale and head biases, 16-bit bias row and heads, then 8-bit rows. All numbers are little-endian.
    /// Weights beyond the range of these integers are clamped. Those of rows within it become even: a file of 320 KB
    /// shrinks to 280 KB or less, and the network evaluates as well.
    pub fn serialize<G: Learned>(weights: &Weights, scale: i32) -> Vec<u8> {
        let (numbers, head_biases) = weights.numbers.split_at(weights.head_bias(0));
        let (bias, rest) = numbers.split_at(HIDDEN);
        let (heads, rows) = rest.split_at(HIDDEN * weights.phases);
        let rounded = |weight: f32, unit: f32| (weight * unit).round();
        let (unit, head_unit) = (f32::from(UNIT), HEAD_UNIT as f32);
        let mut bytes = scale.to_le_bytes().to_vec();
        bytes.extend(head_biases.iter().flat_map(|&bias| (rounded(bias, unit * head_unit) as i32).to_le_bytes()));
        bytes.extend(bias.iter().flat_map(|&weight| (rounded(weight, unit) as i16).to_le_bytes()));
        bytes.extend(heads.iter().flat_map(|&weight| (rounded(weight, head_unit) as i16).to_le_bytes()));
        bytes.extend(rows.iter().map(|&weight| (2.0 * rounded(weight, unit / 2.0)) as i8 as u8));
        [&MAGIC[..], &layout::<G>().to_le_bytes(), &packed(&bytes)].concat()
    }

    /// Returns the length in bytes of the serial form, unpacked, of a network with these numbers of inputs and phases.
    pub const fn bytes(inputs: usize, phases: usize) -> usize {
        4 * (1 + phases) + 2 * HIDDEN * (1 + phases) + HIDDEN * inputs
    }

    /// Reads a network file.
    ///
    /// # Errors
    /// A file that is not a network, is one for another game or another version, or is damaged.
    pub fn read<G: Learned>(bytes: &[u8]) -> Result<Network, NetworkError> {
        let Some((found, packed)) = bytes.strip_prefix(&MAGIC).and_then(|rest| rest.split_first_chunk()) else {
            return Err(if bytes.first() == Some(&ZLIB) { NetworkError::Headless } else { NetworkError::Magic });
        };
        let (found, expected) = (u64::from_le_bytes(*found), layout::<G>());
        if found != expected {
            return Err(NetworkError::Layout { found, expected });
        }
        let expected = Network::bytes(G::INPUTS, G::PHASES);
        let bytes = decompress_to_vec_zlib_with_limit(packed, expected).ok();
        let network =
            bytes.filter(|bytes| bytes.len() == expected).and_then(|bytes| Network::of_weights(&bytes, G::PHASES));
        network.ok_or(NetworkError::Damaged { expected })
    }

    /// Reads unpacked weights.
    fn of_weights(bytes: &[u8], phases: usize) -> Option<Network> {
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
        let read = Network::read::<Smess>;
        let bytes = Network::serialize::<Smess>(&weights::<Smess>(1), 170);
        let (again, scale) = read(&bytes).expect("a network").weights();
        assert_eq!(Network::serialize::<Smess>(&again, scale), bytes);
        assert_eq!(scale, 170);
        let (header, old) = bytes.split_at(16);
        let expected = Network::bytes(Smess::INPUTS, Smess::PHASES);
        let unpacked = decompress_to_vec_zlib_with_limit(old, usize::MAX).expect("packed with zlib");
        assert_eq!(unpacked.len(), expected);
        let mut torn = bytes.clone();
        torn[bytes.len() / 2] ^= 1;
        let longer = [header, &packed(&[&unpacked[..], &[0]].concat())].concat();
        for damaged in [&torn, &[header, &unpacked].concat(), &longer, header] {
            assert_eq!(read(damaged), Err(NetworkError::Damaged { expected }));
        }
        assert_eq!(read(old), Err(NetworkError::Headless));
        for other in [&bytes[1..], &bytes[..15], b"no network", b""] {
            assert_eq!(read(other), Err(NetworkError::Magic));
        }
        let (found, expected) = (layout::<Smess>(), layout::<Morris<FLYING>>());
        assert_eq!(Network::read::<Morris<FLYING>>(&bytes), Err(NetworkError::Layout { found, expected }));
    }

    /// Rows hold less than heads: weights out of range are clamped.
    #[test]
    fn weights_out_of_range_are_cut() {
        let mut weights = Weights::zero(Smess::INPUTS, Smess::PHASES);
        let (head, row) = (weights.head(1), weights.row(3));
        for (at, weight) in [(0, MAX_WEIGHT), (head, -MAX_WEIGHT), (row, 2.0 * MAX_ROW_WEIGHT), (row + 1, -1.0)] {
            weights.numbers[at] = weight;
        }
        let network = Network::read::<Smess>(&Network::serialize::<Smess>(&weights, 1)).expect("whole");
        assert_eq!((network.bias.0[0], network.heads[1].0[0]), (505, -127));
        assert_eq!(network.rows[3].0[..3], [127, -128, 0]);
    }

    /// Compares the integer arithmetic with the formula in floating point, on the positions of a random game.
    fn check_arithmetic<G: Learned + Notation>(game: &G) {
        let network = Network::read::<G>(&Network::serialize::<G>(&weights::<G>(2), 200)).expect("a network");
        let (weights, _) = network.weights();
        let mut rng = fastrand::Rng::with_seed(3);
        let (mut pos, mut most) = (game.start(), 0);
        while let Some(mv) = rng.choice(game.moves(&pos)) {
            let (mut sum, mut count) = (weights.numbers[..HIDDEN].to_vec(), 0);
            game.inputs(&pos, |input| {
                assert!(input < G::INPUTS);
                count += 1;
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
            most = most.max(count);
        }
        assert_eq!(most, G::MAX_INPUTS);
    }

    #[test]
    fn integers_follow_the_formula() {
        check_arithmetic(&Morris::<FLYING>::new(rules::MORRIS));
        check_arithmetic(&Smess::new(Rules::default()));
    }
}
