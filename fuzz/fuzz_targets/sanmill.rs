#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| millbrain_fuzz::targets::sanmill(data));
