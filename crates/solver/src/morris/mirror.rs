//! Sectors in which both sides have the same forces, which are their own partners. A position with Y to move is one
//! with X to move and the colours exchanged. Only the table with X to move is stored; positions settled in it are
//! passed to their rows with Y to move.

use super::frame::Frame;
use millbrain_core::morris::board::PointSet;
use millbrain_core::morris::symmetry::{SYMMETRIES, image};
use millbrain_tablebase::morris::Numbering;
use rayon::prelude::*;
use std::ops::Range;

/// The number of rounds in which rows are searched: smaller rounds need less memory for positions in transit.
const ROUNDS: usize = 16;
/// Chunks of rows in each round.
const CHUNKS: usize = 32;
/// The number of rows that are filled together: a row within its band and a column fit into 32 bits.
const BAND: usize = 1 << 10;

/// Appends the columns of the positions of a row that are to be passed on.
type Find<'a> = dyn Fn(usize, &mut Vec<u16>) + Sync + 'a;

/// Lists for each row the columns of the positions with Y to move that are found with X to move.
pub(super) fn list(numbering: Numbering, find: &Find<'_>, hits: &mut [Vec<u16>]) {
    hits.par_iter_mut().for_each(Vec::clear);
    let rows = numbering.rows();
    let round = rows.div_ceil(ROUNDS);
    let chunk = round.div_ceil(CHUNKS);
    for begin in (0..rows).step_by(round) {
        let end = rows.min(begin + round);
        let chunks = (begin..end).into_par_iter().step_by(chunk).map(|first| first..end.min(first + chunk));
        let sent: Vec<Bands> = chunks.map(|rows| send(numbering, find, rows)).collect();
        hits.par_chunks_mut(BAND).enumerate().for_each(|(band, hits)| {
            let sent = || sent.iter().filter_map(|sent| sent.get(band)).flatten();
            let mut counts = [0; BAND];
            sent().for_each(|hit| counts[(hit >> 16) as usize] += 1);
            hits.iter_mut()
                .zip(counts)
                .filter(|(_, count)| *count > 0)
                .for_each(|(hits, count)| hits.reserve_exact(count));
            sent().for_each(|&hit| hits[(hit >> 16) as usize].push(hit as u16));
        });
    }
    // Frees memory that one level has taken and the next may not need.
    hits.par_iter_mut().filter(|hits| hits.capacity() > 2 * hits.len().max(128)).for_each(|hits| hits.shrink_to_fit());
}

/// The entries of each band: the row within it times 2 to the 16, plus the column. Empty bands at the end are left out.
type Bands = Vec<Vec<u32>>;

/// Returns the places of the positions found in some rows once the colours are exchanged.
fn send(numbering: Numbering, find: &Find<'_>, rows: Range<usize>) -> Bands {
    let mut bands = Bands::new();
    let mut columns = Vec::new();
    for row in rows {
        columns.clear();
        find(row, &mut columns);
        if columns.is_empty() {
            continue;
        }
        let frame = Frame::of(numbering, row);
        let images: [PointSet; SYMMETRIES] = std::array::from_fn(|symmetry| image(symmetry, frame.own));
        let is_symmetric = numbering.is_symmetric(row);
        for &column in &columns {
            let set = numbering.opp(frame.gaps, column.into());
            // One of the images of a position in a symmetric row represents all.
            if is_symmetric && numbering.stabiliser(row, frame.gaps, column.into(), set).is_none() {
                continue;
            }
            numbering.each_place(
                set,
                |symmetry| images[symmetry],
                |row, column| {
                    let band = row / BAND;
                    if bands.len() <= band {
                        bands.resize_with(band + 1, Vec::new);
                    }
                    bands[band].push(((row % BAND) as u32) << 16 | column);
                },
            );
        }
    }
    bands
}
