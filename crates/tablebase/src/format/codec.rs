//! Decompression of zstd frames.

/// Decompresses frames one after the other.
#[cfg(not(target_family = "wasm"))]
#[derive(Default)]
pub(crate) struct Decompressor(zstd::bulk::Decompressor<'static>);

#[cfg(not(target_family = "wasm"))]
impl Decompressor {
    /// Returns the content of a frame of at most `capacity` bytes, or `None` if it is damaged or longer.
    pub(crate) fn decompress(&mut self, frame: &[u8], capacity: usize) -> Option<Vec<u8>> {
        self.0.decompress(frame, capacity).ok()
    }
}

/// Decompresses frames one after the other, without the C library.
#[cfg(target_family = "wasm")]
#[derive(Default)]
pub(crate) struct Decompressor;

#[cfg(target_family = "wasm")]
impl Decompressor {
    /// Returns the content of a frame of at most `capacity` bytes, or `None` if it is damaged or longer.
    pub(crate) fn decompress(&mut self, frame: &[u8], capacity: usize) -> Option<Vec<u8>> {
        use std::io::Read;
        let mut plain = Vec::with_capacity(capacity);
        let decoder = ruzstd::decoding::StreamingDecoder::new(frame).ok()?;
        // One byte more than allowed detects a frame that is too long.
        decoder.take(capacity as u64 + 1).read_to_end(&mut plain).ok()?;
        (plain.len() <= capacity).then_some(plain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_that_is_longer_than_allowed_is_refused() {
        let plain: Vec<u8> = (0..1_000u32).map(|i| (i % 7) as u8).collect();
        let frame = zstd::bulk::compress(&plain, 3).expect("compressed");
        let mut zstd = Decompressor::default();
        assert_eq!(zstd.decompress(&frame, 1_000).as_ref(), Some(&plain));
        assert_eq!(zstd.decompress(&frame, 2_000).as_ref(), Some(&plain));
        assert_eq!(zstd.decompress(&frame, 999), None);
        assert_eq!(zstd.decompress(&frame[..frame.len() - 1], 1_000), None);
    }
}
