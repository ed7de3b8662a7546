//! The carry packs of [millbrain](https://docs.rs/millbrain): strategies that never lose a won or drawn game, in files
//! of a few megabytes. `docs/pack.md` describes their contents and how they are made; `millbrain_tablebase` reads them.

/// Both sides hold the draw until ply 14, and avoid what the search was seen to lose later.
pub const LASKER: &[u8] = include_bytes!("lasker.pack");
/// Both sides hold the draw in games of any length, against replies that keep it.
pub const MLYN: &[u8] = include_bytes!("mlyn.pack");
/// White wins, until its last stone but one is placed.
pub const MORABARABA: &[u8] = include_bytes!("morabaraba.pack");
/// Both sides hold the draw until ply 26; also for `muehle`.
pub const MORRIS: &[u8] = include_bytes!("morris.pack");
/// Both sides hold the draw until ply 24.
pub const MYLOS: &[u8] = include_bytes!("mylos.pack");

/// All packs in order, by the names of their variants.
pub const ALL: [(&str, &[u8]); 5] =
    [("lasker", LASKER), ("mlyn", MLYN), ("morabaraba", MORABARABA), ("morris", MORRIS), ("mylos", MYLOS)];

/// Compiles and runs the example of the README with the doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use super::ALL;
    use std::fs;
    use std::path::Path;

    #[test]
    fn every_file_is_named() {
        let folder = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).expect("a folder");
        let files = folder.map(|file| file.expect("readable").path());
        let packs = files.filter(|path| path.extension().is_some_and(|extension| extension == "pack"));
        let mut found: Vec<(String, Vec<u8>)> = packs
            .map(|path| {
                let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
                (name, fs::read(path).expect("readable"))
            })
            .collect();
        found.sort_unstable();
        assert_eq!(found, ALL.map(|(name, bytes)| (name.to_string(), bytes.to_vec())));
    }
}
