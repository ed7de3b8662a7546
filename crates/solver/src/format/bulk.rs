//! Reads whole sectors at once.

use super::halves;
use crate::code::{Code, Codes, IntoCodes, Plies};
use crate::memory::filled;
use crate::prospects::Prospects;
use millbrain_core::game::Verdict;
use millbrain_tablebase::format::digits::{self, Results};
use millbrain_tablebase::format::{Fault, Kind, Subject, TableFile, keys};
use rayon::prelude::*;
use std::ops::Range;

/// The results of all slots of a sector.
pub(crate) struct SectorResults {
    subject: Subject,
    blocks: Vec<Vec<u8>>,
}

/// Reads all results of a WDL table; there has to be memory for a fifth of a byte per slot.
///
/// # Errors
/// Fails if a block is damaged or cannot be read.
pub(crate) fn results(wdl: &TableFile) -> Result<SectorResults, Fault> {
    let subject = *wdl.subject();
    let blocks = (0..subject.blocks()).into_par_iter().map(|block| wdl.results(block)).collect::<Result<_, _>>()?;
    Ok(SectorResults { subject, blocks })
}

impl SectorResults {
    /// Returns the result of a slot.
    ///
    /// # Errors
    /// Fails if its block has an invalid byte.
    #[inline]
    pub(crate) fn verdict(&self, slot: u64) -> Result<Verdict, Fault> {
        let (block, at) = (slot / self.subject.block_slots(), slot % self.subject.block_slots());
        Results(&self.blocks[block as usize]).verdict(at as usize).ok_or(Fault::Block { block })
    }

    /// Returns the digits of slots that one block has; the first is a multiple of five.
    ///
    /// # Errors
    /// Fails if the block is too short.
    pub(crate) fn digits(&self, slots: Range<u64>) -> Result<Vec<u8>, Fault> {
        let (block, at) = (slots.start / self.subject.block_slots(), slots.start % self.subject.block_slots());
        let digits = Results(&self.blocks[block as usize]).digits(at as usize, (slots.end - slots.start) as usize);
        digits.ok_or(Fault::Block { block })
    }
}

/// Returns the codes of a sector from its two tables; there has to be memory for them.
///
/// # Errors
/// Fails if a block of either is damaged or cannot be read, and returns which of the two it is.
pub(crate) fn stored_codes(wdl: &TableFile, distance: &TableFile) -> Result<Codes, (Kind, Fault)> {
    if distance.longest() <= Code::<u8>::max_distance() {
        codes_in::<u8>(wdl, distance)
    } else {
        codes_in::<u16>(wdl, distance)
    }
}

/// Returns the code of a result, with a distance as short as possible.
pub(crate) fn result_code(digit: u8) -> Code {
    const CODES: [Code; 3] = [Code(0), Code::DRAW, Code(1)];
    CODES[usize::from(digit) % CODES.len()]
}

/// Returns the codes of a sector that has only results: all distances are as short as possible.
///
/// # Errors
/// Fails if a block is damaged or cannot be read.
pub(crate) fn result_codes(wdl: &TableFile) -> Result<Codes, Fault> {
    let mut codes = filled(Code::DRAW, usize::try_from(wdl.subject().slots).unwrap_or(usize::MAX));
    codes.par_chunks_mut(wdl.subject().block_slots() as usize).enumerate().try_for_each(|(block, codes)| {
        let results = wdl.results(block as u64)?;
        let digits = Results(&results).digits(0, codes.len()).ok_or(Fault::Block { block: block as u64 })?;
        codes.iter_mut().zip(&digits).for_each(|(code, &digit)| *code = result_code(digit));
        Ok::<_, Fault>(())
    })?;
    Ok(Codes::Bytes(codes))
}

/// Returns the digits of all results of a sector by slot.
///
/// # Errors
/// Fails if a block is damaged or cannot be read.
pub(crate) fn digits(wdl: &TableFile) -> Result<Vec<u8>, Fault> {
    let mut all = filled(digits::DRAW, usize::try_from(wdl.subject().slots).unwrap_or(usize::MAX));
    all.par_chunks_mut(wdl.subject().block_slots() as usize).enumerate().try_for_each(|(block, all)| {
        let results = wdl.results(block as u64)?;
        let digits = Results(&results).digits(0, all.len()).ok_or(Fault::Block { block: block as u64 })?;
        all.copy_from_slice(&digits);
        Ok::<_, Fault>(())
    })?;
    Ok(all)
}

/// Returns the ultra-strong values of a sector, given the digits of its results. Vacant slots have the value of some
/// other slot.
///
/// # Errors
/// Fails if a block is damaged or cannot be read.
pub(crate) fn stored_prospects(table: &TableFile, results: &[u8]) -> Result<Prospects, Fault> {
    let mut prospects = Prospects::none(results.len());
    let size = table.subject().block_slots() as usize;
    let blocks = prospects.keys.par_chunks_mut(size).zip(prospects.plies.par_chunks_mut(size));
    blocks.zip(results.par_chunks(size)).enumerate().try_for_each(|(block, ((keys, plies), digits))| {
        let values = table.prospects(block as u64, digits)?;
        for (at, _) in digits.iter().enumerate().filter(|(_, digit)| **digit == digits::DRAW) {
            let value = keys::prospect(&values, at).ok_or(Fault::Block { block: block as u64 })?;
            (keys[at], plies[at]) = (value.key as i8, value.plies as u16);
        }
        Ok::<_, Fault>(())
    })?;
    Ok(prospects)
}

fn codes_in<P: IntoCodes>(wdl: &TableFile, distance: &TableFile) -> Result<Codes, (Kind, Fault)> {
    let (slots, size) = (wdl.subject().slots, wdl.subject().block_slots() as usize);
    let part = distance.subject().block_slots() as usize;
    let slots = usize::try_from(slots).unwrap_or(usize::MAX);
    let mut codes = filled(Code::<P>::DRAW, slots);
    codes.par_chunks_mut(size).enumerate().try_for_each(|(block, codes)| {
        let of_results = block as u64;
        let results = wdl.results(of_results).map_err(|fault| (Kind::Wdl, fault))?;
        for (i, codes) in codes.chunks_mut(part).enumerate() {
            let digits = Results(&results).digits(i * part, codes.len());
            let digits = digits.ok_or((Kind::Wdl, Fault::Block { block: of_results }))?;
            fill(codes, &digits, distance, (block * (size / part) + i) as u64)
                .map_err(|fault| (Kind::Distance, fault))?;
        }
        Ok::<_, (Kind, Fault)>(())
    })?;
    Ok(P::into_codes(codes))
}

/// Fills in the codes of a block of distances with these results.
fn fill<P: Plies>(codes: &mut [Code<P>], digits: &[u8], distance: &TableFile, block: u64) -> Result<(), Fault> {
    let halves_by_slot = distance.halves(block, digits)?;
    let mut longest = 0;
    halves::each(distance.width(), &halves_by_slot, codes.iter_mut().zip(digits), |(code, &digit), half| {
        let plies = 2 * half + u32::from(digit == digits::WIN);
        // All ones for a draw. A branch could not be predicted.
        let drawn = u32::from(digit == digits::DRAW).wrapping_neg();
        longest = longest.max(plies & !drawn);
        *code = Code(P::of((plies.min(P::MAX.get()) | drawn) & P::MAX.get()));
    });
    if longest > distance.longest() { Err(Fault::Block { block }) } else { Ok(()) }
}

/// Checks every block of a table.
///
/// # Errors
/// Fails with the first block that is damaged.
pub(crate) fn check_all(table: &TableFile) -> Result<(), Fault> {
    let blocks = (0..table.subject().blocks()).into_par_iter();
    let checked = blocks.map_init(Vec::new, |buffer, block| table.block(block, buffer));
    checked.find_first(Result::is_err).unwrap_or(Ok(()))
}
