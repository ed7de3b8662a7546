//! The dialogue between the match and an engine: a log of it, and the last lines of the engine's standard error.

use millbrain_files::{InFile, named};
use std::collections::VecDeque;
use std::fmt::{self, Write as _};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Maximum bytes of each stream logged between two commands, so that an endless output does not fill the disk.
const MAX_PRINTED: usize = 1 << 20;
/// Minimum cost of a line, for its time and mark in the log.
const LINE_COST: usize = 16;
/// Number of stored last lines of standard error.
const LAST_LINES: usize = 5;
/// Maximum characters of a quoted line.
const MAX_QUOTED: usize = 200;

/// Formats an engine's line for a message.
pub(crate) fn quoted(line: &str) -> String {
    line.chars().filter(|c| !c.is_control()).take(MAX_QUOTED).collect()
}

/// The folder with the dialogues of a match: one file per engine and parallel game.
pub(crate) struct Log {
    folder: PathBuf,
    /// The start of the clock of the log.
    began: Instant,
}

impl Log {
    /// Creates the folder if necessary.
    pub(crate) fn create(folder: &Path) -> Result<Log, InFile<io::Error>> {
        fs::create_dir_all(folder).map_err(named(folder))?;
        Ok(Log { folder: folder.to_path_buf(), began: Instant::now() })
    }

    /// Opens the dialogue with an engine's process in one of the parallel games, numbered from 1. It is appended to the
    /// dialogues of earlier processes.
    pub(crate) fn dialogue(&self, engine: &str, seat: usize) -> Result<Dialogue, InFile<io::Error>> {
        let path = self.folder.join(format!("{}-{seat}.log", file_name(engine)));
        let file = OpenOptions::new().append(true).create(true).open(&path).map_err(named(&path))?;
        let pages = Pages { file, path, began: self.began, output: Stream::default(), error: Stream::default() };
        Ok(Dialogue { pages: Mutex::new(Some(pages)), ..Dialogue::default() })
    }
}

/// Converts a name to part of a file name; different names give different file names, whatever their characters.
fn file_name(name: &str) -> String {
    let mut safe = String::new();
    for (i, c) in name.char_indices() {
        if c.is_alphanumeric() || "-_+".contains(c) || (c == '.' && i > 0) {
            safe.push(c);
        } else {
            let _ = c.encode_utf8(&mut [0; 4]).bytes().try_for_each(|byte| write!(safe, "%{byte:02X}"));
        }
    }
    safe
}

/// An engine's output to a stream since the last command.
#[derive(Default)]
struct Stream {
    bytes: usize,
    left_out: u64,
    /// The last omitted line.
    last: Option<(Instant, String)>,
}

/// The file of a dialogue.
struct Pages {
    file: File,
    path: PathBuf,
    began: Instant,
    output: Stream,
    error: Stream,
}

impl Pages {
    /// Writes a line immediately, so that it survives any end of the match.
    fn write(&mut self, at: Instant, mark: &str, line: &str) -> io::Result<()> {
        let seconds = at.saturating_duration_since(self.began).as_secs_f64();
        self.file.write_all(format!("{seconds:10.3} {mark} {line}\n").as_bytes())
    }

    fn print(&mut self, at: Instant, is_error: bool, line: &str) -> io::Result<()> {
        let stream = if is_error { &mut self.error } else { &mut self.output };
        stream.bytes = stream.bytes.saturating_add(line.len().max(LINE_COST));
        if stream.bytes > MAX_PRINTED {
            stream.left_out += 1;
            stream.last = Some((at, line.to_string()));
            return Ok(());
        }
        self.write(at, mark(is_error), line)
    }

    /// Logs the number of lines omitted since the last command, with the last of them.
    fn catch_up(&mut self) -> io::Result<()> {
        for is_error in [false, true] {
            let stream = std::mem::take(if is_error { &mut self.error } else { &mut self.output });
            let Some((at, last)) = stream.last else { continue };
            if stream.left_out > 1 {
                self.write(at, "==", &format!("{} lines left out", stream.left_out - 1))?;
            }
            self.write(at, mark(is_error), &last)?;
        }
        Ok(())
    }
}

/// Returns the mark of a line that an engine has printed.
const fn mark(is_error: bool) -> &'static str {
    if is_error { "!!" } else { "<<" }
}

/// The last lines of standard error.
#[derive(Default)]
struct LastLines {
    lines: VecDeque<String>,
    has_ended: bool,
    /// The process has ended: output of its children is ignored.
    is_over: bool,
}

/// A dialogue with an engine's process, shared by its threads. It never waits for the engine.
#[derive(Default)]
pub(crate) struct Dialogue {
    /// `None` without a log, or after a write error.
    pages: Mutex<Option<Pages>>,
    last: Mutex<LastLines>,
    /// Signals the end of standard error.
    ended: Condvar,
}

impl Dialogue {
    fn log(&self, write: impl FnOnce(&mut Pages) -> io::Result<()>) {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = &mut *pages
            && let Err(error) = write(open)
        {
            // A match is worth more than its log.
            log::warn!("{}: {error}; nothing more is logged there", open.path.display());
            *pages = None;
        }
    }

    fn last(&self) -> MutexGuard<'_, LastLines> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Logs the start of the process.
    pub(crate) fn started(&self, command_line: &str, process: u32) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        self.log(|pages| {
            pages.write(Instant::now(), "==", &format!("process {process} at Unix time {now:.3}: {command_line}"))
        });
    }

    /// Logs a line sent.
    pub(crate) fn sent(&self, line: &str) {
        self.log(|pages| {
            pages.catch_up()?;
            pages.write(Instant::now(), ">>", line)
        });
    }

    /// Logs a line of standard output.
    pub(crate) fn answered(&self, at: Instant, line: &str) {
        self.log(|pages| pages.print(at, false, line));
    }

    /// Logs a line of standard error; returns whether more may follow.
    pub(crate) fn complained(&self, at: Instant, line: &str) -> bool {
        let short = quoted(line);
        let mut last = self.last();
        if last.is_over {
            return false;
        }
        if !short.is_empty() {
            if last.lines.len() == LAST_LINES {
                last.lines.pop_front();
            }
            last.lines.push_back(short);
        }
        drop(last);
        self.log(|pages| pages.print(at, true, line));
        true
    }

    /// Records the end of standard error.
    pub(crate) fn fell_silent(&self) {
        self.last().has_ended = true;
        self.ended.notify_all();
    }

    /// Logs how the process ended, if that is known.
    pub(crate) fn ended(&self, status: Option<ExitStatus>) {
        self.last().is_over = true;
        let reported = status.map_or("ended".to_string(), |status| format!("ended ({status})"));
        self.log(|pages| {
            pages.catch_up()?;
            pages.write(Instant::now(), "==", &reported)
        });
    }

    /// Returns the last lines of standard error, after its end or the timeout.
    pub(crate) fn last_lines(&self, patience: Duration) -> Vec<String> {
        let waited = self.ended.wait_timeout_while(self.last(), patience, |last| !last.has_ended);
        let (last, _) = waited.unwrap_or_else(PoisonError::into_inner);
        last.lines.iter().cloned().collect()
    }
}

/// The known circumstances of a failed engine's end. The text follows its failure.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LastWords {
    /// Exit status of the process, if it ended by itself.
    pub status: Option<ExitStatus>,
    /// The last lines of its standard error: at most five, of at most 200 characters.
    pub lines: Vec<String>,
}

impl LastWords {
    /// Whether the process was killed from outside, as by a system short of memory.
    pub fn is_killed(&self) -> bool {
        #[cfg(unix)]
        let signal = self.status.and_then(|status| std::os::unix::process::ExitStatusExt::signal(&status));
        #[cfg(not(unix))]
        let signal = None;
        // SIGKILL and SIGTERM.
        matches!(signal, Some(9 | 15))
    }
}

impl fmt::Display for LastWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(status) = self.status {
            write!(f, " ({status})")?;
        }
        for (i, line) in self.lines.iter().enumerate() {
            write!(f, "{}{line:?}", if i == 0 { ", last on standard error: " } else { ", " })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_differ_as_those_of_engines_do() {
        for (name, safe) in [
            ("new", "new"),
            ("v1.2-b+c_d", "v1.2-b+c_d"),
            ("Mühle", "Mühle"),
            ("a/b", "a%2Fb"),
            ("a%2Fb", "a%252Fb"),
            ("..", "%2E."),
            ("a b\n", "a%20b%0A"),
            ("\u{1f}„", "%1F%E2%80%9E"),
        ] {
            assert_eq!(file_name(name), safe);
        }
    }

    /// Creates a log in a folder of its own; returns it, the folder, and the contents of engine A's file.
    fn log(name: &str) -> (Log, PathBuf, impl Fn() -> String) {
        let folder = std::env::temp_dir().join(format!("millbrain-dialogue-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let path = folder.join("A-1.log");
        let log = Log::create(&folder).expect("a folder");
        (log, folder, move || fs::read_to_string(&path).expect("a file"))
    }

    #[test]
    fn lines_are_there_at_once_with_their_times() {
        let (log, folder, text) = log("lines");
        let dialogue = log.dialogue("A", 1).expect("a file");
        dialogue.started("/bin/engine -x", 42);
        dialogue.sent("uci");
        dialogue.answered(log.began + Duration::from_millis(1_234_567), "id name A");
        dialogue.complained(log.began, "oh\u{7}");
        let marks: Vec<String> = text().lines().map(|line| line[11..13].to_string()).collect();
        assert_eq!(marks, ["==", ">>", "<<", "!!"]);
        assert!(text().contains("\n  1234.567 << id name A\n     0.000 !! oh\u{7}\n"), "{}", text());
        assert!(text().lines().next().expect("a line").ends_with(": /bin/engine -x"));
        // Another process is appended to the first; another seat has another file.
        dialogue.ended(None);
        assert!(!dialogue.complained(log.began, "a child of it"));
        drop(log.dialogue("A", 1));
        assert!(text().ends_with(" == ended\n") && text().lines().count() == 5, "{}", text());
        drop(log.dialogue("A", 2));
        assert!(folder.join("A-2.log").exists());
        // A file that cannot be created is named.
        let reported = log.dialogue(&"x".repeat(300), 1).err().expect("too long").to_string();
        assert!(reported.contains("xxx-1.log: "), "{reported}");
        fs::remove_dir_all(folder).expect("removed");
    }

    #[test]
    fn of_a_flood_there_is_the_beginning_and_the_end() {
        let (log, folder, text) = log("flood");
        let dialogue = log.dialogue("A", 1).expect("a file");
        let flood = |last: &str| {
            let fits = MAX_PRINTED / LINE_COST;
            for i in 0..fits + 10 {
                dialogue.answered(log.began, &i.to_string());
            }
            dialogue.answered(log.began, last);
            fits
        };
        let fits = flood("bestmove a1");
        // The other stream has its own limit.
        dialogue.complained(log.began, "seen");
        assert!(text().ends_with(&format!("<< {}\n     0.000 !! seen\n", fits - 1)));
        dialogue.sent("isready");
        let end = "== 10 lines left out\n     0.000 << bestmove a1\n";
        assert!(text().contains(end) && text().ends_with(">> isready\n"));
        flood("bestmove b2");
        dialogue.ended(None);
        assert!(text().matches("== 10 lines left out\n").count() == 2 && text().contains("<< bestmove b2\n"));
        fs::remove_dir_all(folder).expect("removed");
    }

    #[test]
    fn the_last_lines_are_kept() {
        let dialogue = Dialogue::default();
        let now = Instant::now();
        assert_eq!(dialogue.last_lines(Duration::ZERO), [""; 0]);
        assert!((0..9).all(|i| dialogue.complained(now, &format!("{i}\t"))));
        assert!(dialogue.complained(now, "") && dialogue.complained(now, &"ü".repeat(300)));
        let kept = dialogue.last_lines(Duration::ZERO);
        assert_eq!((&kept[..4], kept[4].chars().count()), (&["5", "6", "7", "8"].map(String::from)[..], 200));
        // A waiting thread wakes up at the end.
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| dialogue.last_lines(Duration::from_secs(600)).len());
            dialogue.fell_silent();
            assert_eq!(waiting.join().expect("no panic"), 5);
        });
    }

    #[test]
    fn last_words_follow_what_was_done() {
        assert_eq!(LastWords::default().to_string(), "");
        let lines = vec!["a \"b\"".to_string(), "c".to_string()];
        let words = LastWords { lines, ..LastWords::default() };
        assert_eq!(words.to_string(), r#", last on standard error: "a \"b\"", "c""#);
    }

    /// A full disk.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_log_that_cannot_be_written_is_given_up() {
        let file = OpenOptions::new().append(true).open("/dev/full").expect("a device");
        let (path, began) = (PathBuf::from("/dev/full"), Instant::now());
        let pages = Pages { file, path, began, output: Stream::default(), error: Stream::default() };
        let dialogue = Dialogue { pages: Mutex::new(Some(pages)), ..Dialogue::default() };
        dialogue.sent("uci");
        assert!(dialogue.pages.lock().expect("no panic").is_none());
        dialogue.sent("uci");
    }
}
