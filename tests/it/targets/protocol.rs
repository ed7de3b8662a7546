//! Whole sessions in this process.

use millbrain::protocol::command::Command;
use millbrain::protocol::{Output, Settings, run};
use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Collects what a session prints.
#[derive(Clone, Default)]
pub struct Printed(Arc<Mutex<Vec<u8>>>);

impl Printed {
    /// Returns the output since the last call.
    pub fn take(&self) -> String {
        let bytes = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        String::from_utf8(bytes).expect("the answers are text")
    }
}

impl Write for Printed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Whether an option reaches beyond the session or needs many resources.
fn is_costly(settings: &mut Settings, name: &str, value: Option<&str>) -> bool {
    let before = settings.clone();
    let costly = settings.set(name, value).is_ok()
        && (settings.hash > 4
            || settings.threads > 3
            || !settings.log_file.is_empty()
            || !settings.tablebase_path.is_empty());
    if costly {
        *settings = before;
    }
    costly
}

/// Checks that the position shown after a refusal is the one before it.
fn unchanged_by_refusals(text: &str) {
    let mut shown = None;
    let mut refused = false;
    for line in text.lines() {
        refused |= line.starts_with("info string position refused") || line.contains("unknown command");
        if let Some(fen) = line.strip_prefix("Fen: ") {
            assert!(!refused || shown.is_none_or(|before| before == fen), "{fen} after a refusal: {text}");
            (shown, refused) = (Some(fen), false);
        }
    }
}

/// Adds a command, and shows the position before it, so that its effect is visible.
fn add_shown(script: &mut Vec<u8>, line: &[u8]) {
    for part in [b"d\n", line, b"\n"] {
        script.extend_from_slice(part);
    }
}

/// Returns a session's output for these commands; it must not read past the end.
fn said(mut script: Vec<u8>, run: impl FnOnce(Cursor<Vec<u8>>, Output) -> bool) -> String {
    script.extend_from_slice(b"d\nquit\nisready\n");
    let printed = Printed::default();
    assert!(run(Cursor::new(script), Output::new(Box::new(printed.clone()))), "memory for the smallest table");
    printed.take()
}

/// Lines of a session, of any bytes. The session ends; every `go` gets one `bestmove` and every `isready` one
/// `readyok`; a refused command does not change the position.
pub fn protocol(data: &[u8]) {
    let mut settings = Settings::default();
    let mut script = b"setoption name Hash value 1\n".to_vec();
    let (mut searches, mut readies) = (0, 0);
    for line in data.split(|byte| b"\r\n".contains(byte)).take(64) {
        match String::from_utf8_lossy(line).parse::<Command>() {
            Ok(Command::SetOption { name, value }) if is_costly(&mut settings, &name, value.as_deref()) => continue,
            Ok(Command::Go(go)) if go.perft.is_none() => searches += 1,
            Ok(Command::IsReady) => readies += 1,
            Ok(Command::Quit) => break,
            _ => {}
        }
        add_shown(&mut script, line);
    }
    let text = said(script, |script, output| run(script, output).is_ok());
    let count = |word: &str| text.lines().filter(|line| line.split(' ').next() == Some(word)).count();
    assert_eq!(count("bestmove"), searches, "{text}");
    assert_eq!(count("readyok"), readies, "{text}");
    assert!(!text.contains("internal error"), "{text}");
    unchanged_by_refusals(&text);
}
