//! The program: its start, its end, and the effects of a kill.

use crate::common::*;
use millbrain::variant::Variant;
#[cfg(unix)]
use std::net::{TcpListener, TcpStream};
#[cfg(unix)]
use std::process::Command;
use std::time::Instant;

const SERVE: [&str; 3] = ["serve", "--address", "127.0.0.1:0"];

/// Counts the threads of a process with these name prefixes.
#[cfg(target_os = "linux")]
fn threads(process: &Process, names: &[&str]) -> usize {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", process.child.id())).expect("tasks");
    let name = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("comm")).unwrap_or_default();
    tasks.flatten().map(name).filter(|name| names.iter().any(|begin| name.starts_with(begin))).count()
}

#[cfg(target_os = "linux")]
#[test]
fn two_hundred_sessions_leave_nothing() {
    let more = ["--sessions", "64", "--sessions-each", "64", "--hash", "1", "--requests", "100000"];
    let process = Process::start(&[&SERVE[..], &more].concat());
    for round in 0..4 {
        let mut engines: Vec<_> = (0..50).map(|_| Engine::new(process.address)).collect();
        for (i, engine) in engines.iter_mut().enumerate() {
            match (i + round) % 3 {
                0 => engine.send("go infinite"),
                1 => drop(engine.ask("isready", "readyok")),
                _ => {}
            }
        }
        // Some close properly, the others just disconnect.
        for engine in engines.iter_mut().step_by(2) {
            let _ = engine.0.close(None);
        }
        drop(engines);
        eventually("threads are left", || threads(&process, &["engine", "job"]) == 0);
    }
    assert_eq!(Engine::new(process.address).ask("isready", "readyok"), ["readyok"]);
}

/// Returns a command that passes on this socket like systemd: as file 3, with the process that it is for.
#[cfg(unix)]
fn passed_on(words: &[&str], socket: std::os::fd::OwnedFd) -> Command {
    const PASS_ON: &str = r#"exec 3<&0; export LISTEN_FDS=1 LISTEN_PID=$$; exec "$0" "$@""#;
    let mut command = Command::new("sh");
    command.args(["-c", PASS_ON, env!("CARGO_BIN_EXE_millbrain")]).args(words).stdin(socket);
    command
}

/// Clients that connect before the server starts, and during a restart, wait for it.
#[cfg(unix)]
#[test]
fn a_socket_that_is_passed_on_refuses_nobody() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    for _ in 0..2 {
        let early = TcpStream::connect(address).expect("the system takes it");
        let socket = listener.try_clone().expect("a copy").into();
        // The address in the arguments is ignored.
        let process = Process::of(&mut passed_on(&["serve", "--address", "192.0.2.1:1"], socket));
        assert_eq!(process.address, address);
        assert_eq!(Engine::new(address).ask("isready", "readyok"), ["readyok"]);
        drop(early);
    }
    let file = std::fs::File::open("/dev/null").expect("a file").into();
    let output = passed_on(&SERVE, file).output().expect("a process");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("the socket passed on"), "{output:?}");
}

#[cfg(unix)]
#[test]
fn what_was_acknowledged_survives_kills() {
    let folder = Folder::new();
    let path = folder.file("games").to_string_lossy().into_owned();
    let words = [&SERVE[..], &["--archive", &path, "--sessions", "0", "--requests", "100000"]].concat();
    let text = record("A", "B", Variant::Morris, "d6 f4 b4 d2 e4 d7");
    let mut acknowledged = Vec::new();
    for round in 0..50_u64 {
        let process = Process::start(&words);
        let (address, id) = (process.address, process.child.id());
        let killer = std::thread::spawn(move || {
            // At any moment of the saving, and sometimes before it.
            std::thread::sleep(std::time::Duration::from_micros(round * round * 37 % 30_000));
            std::process::Command::new("kill").args(["-9", &id.to_string()]).status().expect("a status");
        });
        for game in 0.. {
            let key = format!("{round}-{game}");
            let body = saving(&key, &text);
            let head = format!(
                "POST /api/games HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\n\
                 Content-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            );
            let Ok(mut stream) = std::net::TcpStream::connect(address) else { break };
            let mut answer = String::new();
            let sent = std::io::Write::write_all(&mut stream, &[head.into_bytes(), body].concat());
            let read = std::io::Read::read_to_string(&mut stream, &mut answer);
            let Some((_, body)) = answer.split_once("\r\n\r\n").filter(|_| sent.and(read.map(drop)).is_ok()) else {
                break;
            };
            assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
            let reported: serde_json::Value = serde_json::from_str(body).expect("data");
            acknowledged.push((key, reported["id"].as_i64().expect("a number")));
        }
        killer.join().expect("no panic");
    }
    assert!(!acknowledged.is_empty());
    let process = Process::start(&words);
    for (key, id) in &acknowledged {
        let answer = ask(process.address, "POST", "/api/games", &saving(key, &text));
        assert_eq!((answer.status, answer.json()["id"].as_i64()), (200, Some(*id)), "{key}");
    }
    println!("{} games acknowledged", acknowledged.len());
}

#[test]
fn a_taken_port_is_reported_in_one_line() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let output = program(&["serve", "--address", &address]).output().expect("an output");
    let reported = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{reported}");
    assert!(
        reported.starts_with(&format!("millbrain: address {address}: ")) && reported.lines().count() == 1,
        "{reported}"
    );
    assert!(output.stdout.is_empty());
}

#[cfg(unix)]
#[test]
fn signals_end_it_cleanly() {
    let folder = Folder::new();
    let path = folder.file("games").to_string_lossy().into_owned();
    for signal in ["-INT", "-TERM"] {
        let mut process =
            Process::start(&[&SERVE[..], &["--archive", &path, "--annotate-nodes", "1000000000"]].concat());
        let address = process.address;
        let text = record("A", "B", Variant::Morris, "d6 f4");
        let saved = ask(address, "POST", "/api/games", &saving(signal, &text));
        assert_eq!(saved.status, 201);
        let id = saved.json()["id"].as_i64().expect("a number");
        // The annotator is in the middle of a long search, and so is a session.
        assert_eq!(ask(address, "POST", &format!("/api/games/{id}/annotate"), b"").status, 202);
        let mut engine = Engine::new(address);
        engine.send("go infinite");
        engine.until("info");
        // A request that never ends.
        let mut half = connect(address);
        std::io::Write::write_all(&mut half, b"POST /api/games HTTP/1.1\r\n").expect("sent");
        let start = Instant::now();
        process.signal(signal);
        assert_eq!(engine.closing(), 1001);
        drop(engine);
        assert_eq!(process.child.wait().expect("a status").code(), Some(0), "{signal}");
        println!("{signal}: ended after {:?}", start.elapsed());
        assert!(!folder.file("games-wal").exists(), "all is in the file");
        assert!(start.elapsed() < DEADLINE);
    }
}

/// An import in progress ends after the games that it has saved.
#[cfg(unix)]
#[test]
fn a_signal_ends_an_import() {
    let folder = Folder::new();
    let path = folder.file("games").to_string_lossy().into_owned();
    let mut process = Process::start(&[&SERVE[..], &["--archive", &path]].concat());
    let address = process.address;
    let games: String =
        (0..15_000).map(|i| record(&i.to_string(), "B", Variant::Morris, "d6 f4 b4 d2 e4 d7 g4 a4 c4 d5")).collect();
    let importing = std::thread::spawn(move || {
        let head = format!("POST /api/import HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\n");
        raw(address, format!("{head}Content-Length: {}\r\nConnection: close\r\n\r\n{games}", games.len()).as_bytes())
    });
    eventually("games", || {
        get(address, "/api/games").json()["games"].as_array().is_some_and(|games| !games.is_empty())
    });
    process.signal("-TERM");
    assert_eq!(process.child.wait().expect("a status").code(), Some(0));
    let answer = importing.join().expect("no panic").expect("an answer");
    assert_eq!((answer.status, answer.header("retry-after")), (503, Some("5")), "{answer:?}");
    assert!(!folder.file("games-wal").exists(), "all is in the file");
    // Repeating the import adds the rest.
    let process = Process::start(&[&SERVE[..], &["--archive", &path]].concat());
    assert_eq!(get(process.address, "/api/games?limit=1").json()["games"].as_array().map(Vec::len), Some(1));
}

/// A failing disk is logged and shows in the health of the server, until writes succeed again.
#[cfg(unix)]
#[test]
fn a_disk_that_fails_is_unhealthy() {
    let folder = Folder::new();
    let path = folder.file("games").to_string_lossy().into_owned();
    // A limit on the size of files simulates a full disk.
    let mut command = std::process::Command::new("sh");
    command.args(["-c", r#"trap "" XFSZ; ulimit -f 600; exec "$0" "$@""#, env!("CARGO_BIN_EXE_millbrain")]);
    let process = Process::of(command.args(SERVE).args(["--archive", &path]));
    let address = process.address;
    assert_eq!(get(address, "/healthz").status, 200);
    let text = record("A", "B", Variant::Morris, "d6 f4 b4 d2 e4 d7 g4 a4 c4 d5");
    let save = |number: usize| ask(address, "POST", "/api/games", &saving(&number.to_string(), &text));
    let failed = (0..2_000).map(save).find(|answer| answer.status != 201).expect("the limit");
    assert!(matches!(failed.status, 500 | 507), "{failed:?}");
    let health = get(address, "/healthz");
    assert_eq!((health.status, health.header("retry-after")), (503, Some("5")), "{health:?}");
    eventually("it is logged", || process.said.lock().expect("no panic").iter().any(|line| line.contains("archive")));
    assert_eq!(get(address, "/api/games/1").status, 200, "what was saved can be read");
}

/// Returns a server whose archive is on a small disk of its own; prints a note and returns `None` if none can be
/// mounted.
#[cfg(target_os = "linux")]
fn on_a_disk(folder: &Folder, options: &str, words: &[&str]) -> Option<std::process::Command> {
    let unshare = |line: &str| {
        let mut command = std::process::Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c", line]);
        command.args([&folder.0.to_string_lossy(), options, env!("CARGO_BIN_EXE_millbrain")]).args(words);
        command
    };
    const MOUNT: &str = r#"mount -t tmpfs -o "$1" tmpfs "$0""#;
    let attempt = unshare(MOUNT).output();
    if !attempt.as_ref().is_ok_and(|output| output.status.success()) {
        println!("not run, no file systems can be mounted here: {attempt:?}");
        return None;
    }
    Some(unshare(&format!(r#"{MOUNT} && shift && exec "$@""#)))
}

/// A full disk is not mistaken for a full archive; with space again the server continues.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported() {
    let folder = Folder::new();
    let path = folder.file("games").to_string_lossy().into_owned();
    let words = [&SERVE[..], &["--archive", &path, "--requests", "100000"]].concat();
    let Some(mut command) = on_a_disk(&folder, "size=4m", &words) else { return };
    let process = Process::of(&mut command);
    let address = process.address;
    let text = record("A", "B", Variant::Morris, "d6 f4 b4 d2 e4 d7 g4 a4 c4 d5");
    let save = |number: usize| ask(address, "POST", "/api/games", &saving(&number.to_string(), &text));
    assert_eq!(save(0).status, 201);
    // As the server sees it.
    let fill = format!("/proc/{}/root{}/fill", process.child.id(), folder.0.display());
    let _ = std::fs::write(&fill, vec![0; 8 << 20]);
    let failed = (1..2_000).map(save).find(|answer| answer.status != 201).expect("the end of the disk");
    assert_eq!(failed.status, 507);
    let reported = failed.json()["error"].as_str().expect("a line").to_string();
    assert!(reported.starts_with("no space on the disk"), "{reported}");
    assert_eq!(get(address, "/healthz").status, 503);
    eventually("it is logged", || process.said.lock().expect("no panic").iter().any(|line| line.contains("no space")));
    std::fs::remove_file(&fill).expect("removed");
    assert_eq!(get(address, "/healthz").status, 200);
    assert_eq!(save(2_000).status, 201);
}

/// A file that cannot be an archive is rejected in one line that names it.
#[cfg(target_os = "linux")]
#[test]
fn unusable_archives_are_refused_in_one_line() {
    let folder = Folder::new();
    std::fs::write(
        folder.file("foreign"),
        "not a database, but a text that is long enough for the header of one, and so is this line",
    )
    .expect("written");
    std::fs::create_dir(folder.file("folder")).expect("a folder");
    let refused = |command: &mut std::process::Command, path: &str| {
        let output = command.output().expect("an output");
        let reported = String::from_utf8_lossy(&output.stderr).into_owned();
        let reported =
            reported.strip_prefix(&format!("millbrain: {path}: ")).unwrap_or_else(|| panic!("{path}: {reported}"));
        assert_eq!((output.status.code(), reported.lines().count()), (Some(1), 1), "{reported}");
        reported.trim_end().to_string()
    };
    let of = |name: &str| {
        let path = folder.file(name).to_string_lossy().into_owned();
        refused(&mut program(&[&SERVE[..], &["--archive", &path]].concat()), &path)
    };
    assert_eq!(of("foreign"), "not an archive of games, expected one or the name of a new file");
    assert!(of("folder").starts_with("cannot be opened"));
    assert!(of("none/games").starts_with("cannot be opened"));
    // On a read-only disk.
    let other = Folder::new();
    let path = other.file("games").to_string_lossy().into_owned();
    let script = format!(
        r#"mount -t tmpfs tmpfs {0} && cp {1} {0}/games && mount -o remount,ro {0} && exec "$0" "$@""#,
        other.0.display(),
        folder.file("sound").display()
    );
    let sound = Folder::new();
    drop(with_archive(&sound));
    std::fs::copy(sound.file("games"), folder.file("sound")).expect("copied");
    let Some(mut command) = on_a_disk(&other, "size=4m", &[]) else { return };
    command = std::process::Command::new(command.get_program());
    command.args(["--map-root-user", "--mount", "sh", "-c", &script, env!("CARGO_BIN_EXE_millbrain")]);
    let reported = refused(command.args(SERVE).args(["--archive", &path]), &path);
    assert_eq!(reported, "read-only, expected a file that may be written");
}

#[test]
fn a_second_server_is_refused() {
    let folder = Folder::new();
    let first = with_archive(&folder);
    let path = folder.file("games").to_string_lossy().into_owned();
    let output = program(&[&SERVE[..], &["--archive", &path]].concat()).output().expect("an output");
    let reported = String::from_utf8_lossy(&output.stderr);
    let expected = format!("millbrain: {path}: in use by another server, expected an archive that no server uses\n");
    assert_eq!((output.status.code(), &*reported), (Some(1), &*expected));
    drop(first);
    assert_eq!(get(Process::start(&[&SERVE[..], &["--archive", &path]].concat()).address, "/healthz").status, 200);
}

#[test]
fn an_archive_of_a_newer_program_is_refused() {
    let folder = Folder::new();
    let path = folder.file("games");
    with_archive(&folder).stop();
    // The place of the user version in a database file.
    let mut bytes = std::fs::read(&path).expect("an archive");
    bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
    std::fs::write(&path, bytes).expect("written");
    let path = path.to_string_lossy().into_owned();
    let output = program(&[&SERVE[..], &["--archive", &path]].concat()).output().expect("an output");
    let reported = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), reported.lines().count()), (Some(1), 1), "{reported}");
    assert!(reported.contains(&format!("{path}: archive of version 99")), "{reported}");
}

#[test]
fn an_annotation_goes_on_after_a_kill() {
    let folder = Folder::new();
    let path = folder.file("games").to_string_lossy().into_owned();
    let words = [&SERVE[..], &["--archive", &path, "--annotate-nodes", "20000", "--requests", "100000"]].concat();
    let moves = "d6 f4 d2 b4 e4 d7 g4 a4 c4 d5 g7 a7 e5 c5";
    let annotation = |process: &Process| get(process.address, "/api/games/1").json()["annotation"].clone();
    let process = Process::start(&words);
    let saved = ask(process.address, "POST", "/api/games", &saving("k", &record("A", "B", Variant::Morris, moves)));
    assert_eq!(saved.status, 201, "{}", saved.text());
    assert_eq!(ask(process.address, "POST", "/api/games/1/annotate", b"").status, 202);
    // Killed a few times after its work has begun.
    drop(process);
    for _ in 0..3 {
        drop(Process::start(&words));
    }
    let process = Process::start(&words);
    eventually("an annotation", || annotation(&process).is_object());
    let plies = annotation(&process)["plies"].as_array().expect("a list").len();
    assert_eq!(plies, moves.split(' ').count());
}
