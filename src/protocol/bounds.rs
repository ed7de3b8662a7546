//! Limits of a session: the whole machine at a terminal, less for lines from strangers.

pub use crate::lines::MAX_LINE;

/// Maximum number of commands waiting for the end of a job.
const MAX_QUEUE: usize = 10_000;

/// The files that a session may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Files {
    /// Those of the machine, and others.
    All,
    /// Those with an address, of tables.
    Hosted,
    /// None.
    None,
}

/// Limits of a session. Options advertise these bounds and reject values beyond them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Maximum search threads.
    pub threads: u64,
    /// Maximum hash table in MiB, and maximum memory for tablebases if it exceeds the default.
    pub hash: u64,
    /// The files that options and notes may name.
    pub files: Files,
    /// Maximum line length in bytes, enforced by the driver of the session.
    pub line: u64,
    /// Maximum number of commands waiting for the end of a job.
    pub queue: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { threads: u64::MAX, hash: u64::MAX, files: Files::All, line: MAX_LINE, queue: MAX_QUEUE }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::super::options::{Effect, OPTIONS, Settings};
    use super::*;

    fn lines(bounds: &Bounds) -> Vec<String> {
        let within = OPTIONS.iter().filter_map(|option| option.within(bounds));
        within.map(|option| option.uci_line(&Settings::default())).collect()
    }

    #[test]
    fn without_bounds_everything_is_there() {
        let all: Vec<_> = OPTIONS.iter().map(|option| option.uci_line(&Settings::default())).collect();
        assert_eq!(lines(&Bounds::default()), all);
    }

    #[test]
    fn bounds_are_advertised_and_enforced() {
        let bounds = Bounds { threads: 2, hash: 32, files: Files::None, ..Bounds::default() };
        let lines = lines(&bounds).join("\n");
        assert!(lines.contains("Threads type spin default 1 min 1 max 2\n"), "{lines}");
        assert!(lines.contains("Hash type spin default 16 min 1 max 32\n"), "{lines}");
        assert!(lines.contains("TablebaseCache type spin default 512 min 1 max 512\n"), "{lines}");
        assert!(!lines.contains("Log File") && !lines.contains("TablebasePath"), "{lines}");
        let mut settings = Settings::default();
        let mut refused = |name, value| settings.set_within(name, Some(value), &bounds).unwrap_err().to_string();
        assert_eq!(refused("Threads", "3"), "invalid value \"3\" for Threads: expected a number from 1 to 2");
        assert_eq!(refused("hash", "33"), "invalid value \"33\" for Hash: expected a number from 1 to 32");
        let reported = "option Log File names files, which this session may not; expected one that 'uci' lists";
        assert_eq!(refused("log  file", "/tmp/x"), reported);
        assert!(refused("TablebasePath", "/tmp").contains("TablebasePath names files"));
        let hosted = Bounds { files: Files::Hosted, ..bounds.clone() };
        let mut path = |value| settings.set_within("TablebasePath", Some(value), &hosted).map_err(|e| e.to_string());
        let expected = "expected addresses of files, such as https://example.org/morris.mbt";
        for value in ["tables", "https://example.org/a.mbt:tables", "http://example.org"] {
            assert_eq!(path(value), Err(format!("invalid value {value:?} for TablebasePath: {expected}")));
        }
        assert_eq!(path("https://example.org/a.mbt"), Ok(Effect::Tables));
        assert_eq!(path(""), Ok(Effect::Tables));
        assert_eq!(settings.set_within("Threads", Some("2"), &bounds).unwrap(), Effect::Threads);
    }
}
