//! Tables written, and read as whole sectors.

mod bulk;
mod digits;
mod halves;
mod keys;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use bulk::{
    SectorResults, check_all, digits, result_code, result_codes, results, stored_codes, stored_prospects,
};
pub(crate) use digits::of_code;
pub(crate) use write::{write, write_prospects};
