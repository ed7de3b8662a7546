//! Full disks, files at their maximum size, and read-only folders: each gives one clear line, and all finished work
//! remains intact.
#![cfg(target_os = "linux")]

use crate::common::{Client, ENGINE, folder};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Set when the test runs in its own mount namespace, in which it may mount file systems.
const INSIDE: &str = "MILLBRAIN_OWN_MOUNTS";

fn shell(dir: &Path, line: &str) -> Output {
    Command::new("sh").current_dir(dir).env("ENGINE", ENGINE).args(["-c", line]).output().expect("a shell")
}

/// Checks for a single error line that names the fault.
fn refused(output: &Output, fault: &str) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let complaints: Vec<_> = text.lines().filter(|line| line.starts_with("millbrain: ")).collect();
    assert!(complaints.len() == 1 && complaints[0].contains(fault), "{fault}: {text}");
}

fn succeeded(output: &Output) {
    assert!(output.status.success(), "{output:?}");
}

/// Returns the bytes of all files, except locks and files that are not results.
fn contents(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(dir)
        .expect("a folder")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.is_file() && path.file_name().is_some_and(|name| name != "fill"))
        .map(|path| (path.clone(), fs::read(&path).expect("readable")))
        .collect();
    files.sort();
    files
}

/// Whether a manifest has all the sectors of another.
fn has_sectors(now: &[u8], before: &[u8]) -> bool {
    let sectors = |text| serde_json::from_slice::<serde_json::Value>(text).ok()?.get("sectors")?.as_object().cloned();
    sectors(now)
        .zip(sectors(before))
        .is_some_and(|(now, before)| before.iter().all(|(name, of)| now.get(name) == Some(of)))
}

/// Checks that the files of `before` are still in the folder. A file written line by line may have grown, and finished
/// pairs of tables must be in the manifest.
fn is_whole(dir: &Path, before: &[(PathBuf, Vec<u8>)]) {
    let now = contents(dir);
    for (path, bytes) in before {
        let found = now.iter().find(|(name, _)| name == path).map(|(_, bytes)| bytes.as_slice());
        let whole = |found: &[u8]| found.starts_with(bytes) || has_sectors(found, bytes);
        assert!(found.is_some_and(whole), "{}", path.display());
    }
    assert!(now.iter().all(|(path, _)| path.extension().is_none_or(|kind| kind != "tmp")), "a temporary file is left");
}

const FULL: &str = "No space left";
const MATCH: &str = "$ENGINE match --engine name=A cmd=$ENGINE depth=1 --engine name=B cmd=$ENGINE depth=1 --rounds 40";

#[test]
fn files_that_may_grow_no_further() {
    let dir = folder("limited");
    fs::remove_dir_all(&dir).and_then(|()| fs::create_dir(&dir)).expect("an empty folder");
    let limited = |line: &str| shell(&dir, &format!("trap '' XFSZ; ulimit -f 64; {line}"));
    succeeded(&shell(&dir, "$ENGINE tablebase build --sectors 3-3 --out ."));
    let tables = contents(&dir);
    refused(&limited("$ENGINE tablebase build --sectors 4-4 --out ."), "File too large");
    is_whole(&dir, &tables);
    refused(&limited(&format!("{MATCH} --save save")), "File too large");
    succeeded(&shell(&dir, "$ENGINE match --resume save"));
}

/// An output that is its own input is rejected under any name; the input stays unchanged.
#[test]
fn no_output_replaces_an_input() {
    let dir = folder("own");
    succeeded(&shell(&dir, &format!("{MATCH} --record games && ln -s games link && ln games other")));
    fs::copy(dir.join("games"), dir.join("out.tmp")).expect("copied");
    let before = contents(&dir);
    for (input, out) in
        [("games", "games"), ("games", "./link"), ("link", "games"), ("other", "games"), ("out.tmp", "out")]
    {
        let output = shell(&dir, &format!("$ENGINE convert {input} --to sgf --out {out}"));
        refused(&output, &format!("{out}: also named by another argument, expected a file of its own for --out"));
    }
    assert!(contents(&dir) == before);
    succeeded(&shell(&dir, "$ENGINE convert games --to sgf --out new"));
}

/// Reruns a test of this file in its own mount namespace, or prints a note if the system does not allow it.
fn with_own_mounts(test: &str, inside: impl FnOnce()) {
    if std::env::var_os(INSIDE).is_some() {
        return inside();
    }
    let own = std::env::current_exe().expect("this test");
    let mut command = Command::new("unshare");
    command
        .args(["--map-root-user", "--mount"])
        .arg(own)
        .args(["--exact", &format!("disk::{test}"), "--nocapture"])
        .env(INSIDE, "1");
    let mut attempt = Command::new("unshare");
    match attempt.args(["--map-root-user", "--mount", "mount", "-t", "tmpfs", "x", "/mnt"]).output() {
        Ok(output) if output.status.success() => {
            let output = command.output().expect("a test");
            assert!(output.status.success(), "{output:?}");
            assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "{output:?}");
        }
        refusal => println!("{test} not run, no file systems can be mounted here: {refusal:?}"),
    }
}

fn mount(dir: &Path, options: &str) {
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(dir).status();
    assert!(mounted.expect("a mount").success());
}

#[test]
fn full_disks() {
    with_own_mounts("full_disks", || {
        let dir = folder("full");
        mount(&dir, "size=1m");
        succeeded(&shell(&dir, "$ENGINE tablebase build --sectors 3-3 --out ."));
        let tables = contents(&dir);
        assert_eq!(tables.len(), 3);
        refused(&shell(&dir, "$ENGINE tablebase build --sectors 5-3 --out ."), "MiB of disk needed");
        // Enough space at first, but reduced during the build.
        mount(&dir, "remount,size=16m");
        let build = "$ENGINE tablebase build --sectors 5-3 --out . & sleep 0.1; dd if=/dev/zero of=fill bs=4k; wait $!";
        let output = shell(&dir, build);
        let fault = if String::from_utf8_lossy(&output.stderr).contains("needed") { "needed" } else { FULL };
        refused(&output, fault);
        is_whole(&dir, &tables);
        let fill = || succeeded(&shell(&dir, "dd if=/dev/zero of=fill bs=4k; truncate -s -12k fill"));
        fill();
        refused(&shell(&dir, &format!("{MATCH} --save save")), FULL);
        refused(&shell(&dir, &format!("rm -f save; {MATCH} --record games")), FULL);
        fs::remove_file(dir.join("games")).expect("written as far as there was room");
        let saved = shell(&dir, &format!("{MATCH} --save save"));
        refused(&saved, FULL);
        assert!(String::from_utf8_lossy(&saved.stderr).contains("save: "));
        let journal = fs::read(dir.join("save")).expect("its beginning");
        fill();
        let positions = folder("room").join("positions");
        fs::write(&positions, "startpos\n".repeat(3_000)).expect("written");
        let analyse = format!("$ENGINE analyse {} --depth 1 --hash 1 --no-time --out", positions.display());
        refused(&shell(&dir, &format!("{analyse} out")), FULL);
        is_whole(&dir, &tables);
        // With space again all jobs resume, with the same results.
        fs::remove_file(dir.join("fill")).expect("there");
        succeeded(&shell(&dir, "$ENGINE tablebase build --sectors 5-3 --out . && $ENGINE tablebase verify ."));
        is_whole(&dir, &tables[..2]);
        succeeded(&shell(&dir, "$ENGINE match --resume save"));
        let whole_line = journal.iter().rposition(|&byte| byte == b'\n').expect("settings") + 1;
        assert!(fs::read(dir.join("save")).expect("there").starts_with(&journal[..whole_line]));
        succeeded(&shell(&dir, &format!("{analyse} out --resume && {analyse} other")));
        assert!(fs::read(dir.join("out")).expect("there") == fs::read(dir.join("other")).expect("there"));
        // A log that cannot be written is closed; the engine continues.
        let _ = shell(&dir, "dd if=/dev/zero of=fill bs=4k");
        let mut client = Client::new();
        client.send(&format!("setoption name Log File value {}", dir.join("log").display()));
        client.send("go depth 5");
        client.until("bestmove");
        client.finish();
    });
}

#[test]
fn read_only_folders() {
    with_own_mounts("read_only_folders", || {
        let dir = folder("read-only");
        mount(&dir, "size=16m");
        succeeded(&shell(&dir, "$ENGINE tablebase build --sectors 3-3 --out . && echo startpos > in"));
        succeeded(&shell(&dir, &format!("{MATCH} --save save && head -3 save > begun")));
        mount(&dir, "remount,ro");
        let before = contents(&dir);
        let fault = "Read-only file system";
        refused(&shell(&dir, "$ENGINE tablebase build --sectors 4-3 --out ."), fault);
        refused(&shell(&dir, "$ENGINE tablebase build --sectors 3-3 --out new"), fault);
        refused(&shell(&dir, &format!("{MATCH} --save new")), fault);
        refused(&shell(&dir, &format!("{MATCH} --record new")), fault);
        refused(&shell(&dir, "$ENGINE match --resume begun"), fault);
        refused(&shell(&dir, "$ENGINE analyse in --depth 1 --out new"), fault);
        succeeded(&shell(&dir, "$ENGINE tablebase verify . && $ENGINE analyse in --depth 1"));
        let mut client = Client::new();
        let answer = client.ask(&format!("setoption name Log File value {}", dir.join("log").display()));
        assert!(answer.len() == 1 && answer[0].contains(fault) && answer[0].contains("expected"), "{answer:?}");
        let answer = client.ask(&format!("setoption name TablebasePath value {}", dir.display()));
        assert!(answer.iter().any(|line| line.contains("tablebases: ")), "{answer:?}");
        client.finish();
        assert!(contents(&dir) == before);
    });
}
