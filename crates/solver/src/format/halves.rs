//! Half distances, packed for compression.

use millbrain_tablebase::format::halves::Width;

/// Passes each slot of a block its half distance.
#[inline]
pub(super) fn each<T>(width: Width, block: &[u8], slots: impl Iterator<Item = T>, mut tell: impl FnMut(T, u32)) {
    if block.len() == width.bytes() {
        let half = width.half(block, 0).unwrap_or_default();
        return slots.for_each(|slot| tell(slot, half));
    }
    match width {
        Width::One => slots.zip(block).for_each(|(slot, &half)| tell(slot, half.into())),
        Width::Two => {
            slots.zip(block.as_chunks().0).for_each(|(slot, &half)| tell(slot, u16::from_le_bytes(half).into()));
        }
    }
}

/// Packs the half distances of the slots that have one.
pub(super) fn pack(width: Width, halves: impl ExactSizeIterator<Item = Option<u32>>) -> Vec<u8> {
    match width {
        Width::One => packed(halves, |half| [half as u8]),
        Width::Two => packed(halves, |half| (half as u16).to_le_bytes()),
    }
}

/// Packs the numbers that exist. A missing one is written too, and then overwritten, which is faster than a branch.
fn packed<const WIDTH: usize>(
    halves: impl ExactSizeIterator<Item = Option<u32>>,
    bytes: impl Fn(u32) -> [u8; WIDTH],
) -> Vec<u8> {
    let mut packed = vec![[0; WIDTH]; halves.len()];
    let mut count = 0;
    for half in halves {
        packed[count] = bytes(half.unwrap_or_default());
        count += usize::from(half.is_some());
    }
    packed.truncate(count);
    packed.into_flattened()
}
