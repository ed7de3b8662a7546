//! The predictions of a sector: a sum of logits, one for each context of a slot.

use super::coder::{LOGIT_UNIT, probability};
use super::{CONTEXTS, Contexts, Scanned, Scanner, VALUES};

/// The two questions about a slot: whether it has the most frequent digit; if not, whether it has the second.
const QUESTIONS: usize = 2;
/// The number of digits.
const DIGITS: usize = 3;
/// The first entry of each context, and the number of all entries.
const STARTS: [usize; CONTEXTS + 1] = {
    let mut starts = [0; CONTEXTS + 1];
    let mut context = 0;
    while context < CONTEXTS {
        starts[context + 1] = starts[context] + VALUES[context];
        context += 1;
    }
    starts
};
/// The number of entries: one for each value of each context.
const ENTRIES: usize = STARTS[CONTEXTS];
/// What the logits of a predictor are multiplied with, so that they can change by little.
const FINE: i32 = 128;
/// The rate at which a predictor learns, in 65,536ths.
const RATE: i32 = (0.1 * (FINE * LOGIT_UNIT) as f64) as i32;

/// Returns the entry of each context.
#[inline(always)]
fn entries(contexts: &Contexts) -> [usize; CONTEXTS] {
    // Loops here and in scanners: `map` of an array this long is a call, unless the whole program is optimised at once.
    let mut entries = [0; CONTEXTS];
    let mut i = 0;
    while i < CONTEXTS {
        // Masks keep the entries in range, as the compiler sees.
        entries[i] = STARTS[i] + (usize::from(contexts[i]) & (VALUES[i].next_power_of_two() - 1)).min(VALUES[i] - 1);
        i += 1;
    }
    entries
}

/// The logits of the questions by context.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Model {
    /// The digits, the most frequent first.
    digits: [u8; DIGITS],
    /// The place of each digit in that order.
    places: [u8; DIGITS],
    logits: Vec<[i8; QUESTIONS]>,
}

impl Model {
    /// The length of a model in bytes.
    pub const BYTES: usize = DIGITS + QUESTIONS * ENTRIES;

    /// Reads a model, or returns `None` if it is damaged.
    pub fn read(bytes: &[u8]) -> Option<Model> {
        let (&digits, logits) = bytes.split_first_chunk()?;
        let logits: Vec<_> =
            logits.as_chunks().0.iter().map(|pair: &[u8; QUESTIONS]| pair.map(u8::cast_signed)).collect();
        let mut places = [u8::MAX; DIGITS];
        for (place, digit) in (0..).zip(digits) {
            *places.get_mut(usize::from(digit))? = place;
        }
        (bytes.len() == Model::BYTES && !places.contains(&u8::MAX)).then_some(Model { digits, places, logits })
    }

    /// Returns the model as bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let logits = self.logits.as_flattened().iter().map(|logit| logit.cast_unsigned());
        self.digits.into_iter().chain(logits).collect()
    }

    /// Returns the place of a digit in the order of frequency.
    #[inline(always)]
    pub(super) fn place(&self, digit: u8) -> usize {
        self.places[usize::from(digit)].into()
    }

    /// Returns the digit at a place.
    #[inline(always)]
    pub(super) fn digit(&self, place: usize) -> u8 {
        self.digits[place]
    }

    /// Returns the predictions at the beginning of a block.
    pub(super) fn predictor(&self) -> Predictor {
        let mut logits = Box::new([[0; QUESTIONS]; ENTRIES]);
        let fine = |logit| i16::from(logit) * FINE as i16;
        logits.iter_mut().zip(&self.logits).for_each(|(logits, pair)| *logits = pair.map(fine));
        Predictor(logits)
    }
}

/// The predictions within a block: they learn from every slot.
pub(super) struct Predictor(Box<[[i16; QUESTIONS]; ENTRIES]>);

impl Predictor {
    /// Returns the place of a slot's digit. `answer` gets each question and the probability of a yes.
    #[inline(always)]
    pub(super) fn place(&mut self, contexts: &Contexts, mut answer: impl FnMut(usize, u32) -> bool) -> usize {
        let entries = entries(contexts);
        for question in 0..QUESTIONS {
            let mut sum = 0;
            for entry in entries {
                sum += i32::from(self.0[entry][question]);
            }
            let chance = probability(sum / FINE);
            let is_it = answer(question, chance);
            let error = (i32::from(is_it) << 16) - chance as i32;
            let step = ((error * RATE + (1 << 15)) >> 16) as i16;
            // All logits are added to before it is seen whether one of them, which is rare, has left its range.
            let mut any_left = false;
            for entry in entries {
                let logit = &mut self.0[entry][question];
                let (sum, has_left) = logit.overflowing_add(step);
                *logit = sum;
                any_left |= has_left;
            }
            if any_left {
                self.saturate(&entries, question, step);
            }
            if is_it {
                return question;
            }
        }
        QUESTIONS
    }

    /// Adds a step once more, to what the logits were before, such that they stay in their range.
    #[cold]
    fn saturate(&mut self, entries: &[usize; CONTEXTS], question: usize, step: i16) {
        for &entry in entries {
            let logit = &mut self.0[entry][question];
            *logit = logit.wrapping_sub(step).saturating_add(step);
        }
    }
}

/// Fits a model to blocks of a sector: logistic regression by AdaGrad.
///
/// All operations on floating-point numbers are exactly rounded, so every machine makes the same model.
pub struct Trainer {
    digits: [u8; DIGITS],
    places: [u8; DIGITS],
    logits: Vec<[f32; QUESTIONS]>,
    /// The sums of squared errors.
    squares: Vec<[f32; QUESTIONS]>,
}

impl Trainer {
    /// Creates a trainer for a sector with these numbers of positions by digit.
    pub fn new(counts: [u64; DIGITS]) -> Trainer {
        let mut digits = [0, 1, 2];
        digits.sort_by_key(|&digit| std::cmp::Reverse(counts[usize::from(digit)]));
        let mut places = [0; DIGITS];
        (0..).zip(digits).for_each(|(place, digit)| places[usize::from(digit)] = place);
        let logits = vec![[0.0; QUESTIONS]; ENTRIES];
        Trainer { digits, places, logits, squares: vec![[0.01; QUESTIONS]; ENTRIES] }
    }

    /// Learns a block that begins with the slot `first`, at a rate of learning.
    pub fn learn(&mut self, scanner: &mut impl Scanner, first: u64, digits: &[u8], rate: f32) {
        let mut known = Vec::with_capacity(digits.len());
        scanner.begin(first);
        for &digit in digits {
            known.push(match scanner.next(&known) {
                Scanned::Vacant(digit) => digit,
                Scanned::Coded(contexts) => {
                    self.step(&contexts, self.places[usize::from(digit)].into(), rate);
                    digit
                }
            });
        }
    }

    fn step(&mut self, contexts: &Contexts, place: usize, rate: f32) {
        let entries = entries(contexts);
        for question in 0..=place.min(QUESTIONS - 1) {
            let sum: f32 = entries.iter().map(|&entry| self.logits[entry][question]).sum();
            let chance = probability((sum * LOGIT_UNIT as f32) as i32) as f32 / 65_536.0;
            let error = if place == question { 1.0 - chance } else { -chance };
            for entry in entries {
                let square = &mut self.squares[entry][question];
                *square += error * error;
                self.logits[entry][question] += rate * error / square.sqrt();
            }
        }
    }

    /// Returns the model.
    pub fn model(&self) -> Model {
        let round = |logit: f32| (logit * LOGIT_UNIT as f32).round().clamp(-127.0, 127.0) as i8;
        let logits = self.logits.iter().map(|entry| entry.map(round)).collect();
        Model { digits: self.digits, places: self.places, logits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logits_stay_in_their_range() {
        let mut predictor = Predictor(Box::new([[0; QUESTIONS]; ENTRIES]));
        let near_the_end = i16::MAX - 60;
        predictor.0[STARTS[0]][0] = near_the_end;
        predictor.0[STARTS[1]][0] = -near_the_end;
        assert_eq!(predictor.place(&[0; CONTEXTS], |_, chance| chance == 1 << 15), 0);
        let logits = STARTS[..CONTEXTS].iter().map(|&entry| predictor.0[entry][0]);
        let step = (RATE / 2) as i16;
        assert!(step > 60 && logits.eq([i16::MAX, step - near_the_end].into_iter().chain([step; CONTEXTS - 2])));
    }
}
