//! Text of `--version`: the program, its commit and its build target.

use std::env::consts::{ARCH, OS};
use std::fmt::Write;
use std::sync::LazyLock;

/// The version, then a line each for the commit if the build knows it, the features, and the target.
static BUILT: LazyLock<String> = LazyLock::new(|| {
    let mut text = env!("CARGO_PKG_VERSION").to_string();
    if let Some(commit) = option_env!("MILLBRAIN_COMMIT") {
        let _ = write!(text, "\ncommit {commit}");
    }
    let features = [("serve", cfg!(feature = "serve")), ("tune", cfg!(feature = "tune"))];
    let built: Vec<_> = features.iter().filter(|(_, is_there)| *is_there).map(|(name, _)| *name).collect();
    let listed = if built.is_empty() { "none beyond the default ones".to_string() } else { built.join(", ") };
    let environment = if cfg!(target_env = "musl") { " musl" } else { "" };
    let _ = write!(text, "\nfeatures {listed}\ntarget {ARCH} {OS}{environment}");
    text
});

/// Returns the lines of `--version` after the program's name; `-V` prints only the first.
pub fn built() -> &'static str {
    &BUILT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_says_something_of_the_build() {
        let words: Vec<_> = built().lines().skip(1).filter_map(|line| line.split(' ').next()).collect();
        assert!(built().starts_with(concat!(env!("CARGO_PKG_VERSION"), "\n")), "{}", built());
        assert!(words.ends_with(&["features", "target"]), "{}", built());
        assert_eq!(built().contains("serve"), cfg!(feature = "serve"), "{}", built());
    }
}
