//! Tablebases as used by scripts: built, verified, damaged, probed.

use crate::common::{Client, ENGINE, folder};
use millbrain::any::AnyGame;
use millbrain::game::Verdict;
use millbrain::morris::FLYING;
use millbrain::tablebase::{Endings, MorrisEndings, Tablebase};
use millbrain::value::Oracle;
use millbrain::variant::Variant;
use millbrain::with_endings;
use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use xxhash_rust::xxh3::xxh3_64;

/// Checksums of the files of small sectors: `tests/data/table_sums.tsv`.
const SUMS: &str = include_str!("../data/table_sums.tsv");

/// Known figures of small sectors: `tests/data/sectors.tsv`, from the published figures named there.
const KNOWN: &str = include_str!("../data/sectors.tsv");

fn tablebase(words: &[&str]) -> Output {
    Command::new(ENGINE).arg("tablebase").args(words).output().expect("the engine starts")
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Returns the error line of a failed run.
fn refusal(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.starts_with("millbrain: ") && text.trim_end().lines().count() == 1, "{text}");
    text
}

fn build(dir: &Path, variant: &str, sectors: &str, more: &[&str]) -> Output {
    let dir = dir.to_string_lossy();
    tablebase(&[&["build", "--variant", variant, "--sectors", sectors, "--out", &dir], more].concat())
}

/// Returns the finished files of a folder, by name.
fn contents(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(dir)
        .expect("a folder")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|e| e == "wdl" || e == "dtw" || e == "json"))
        .map(|path| {
            (path.file_name().unwrap_or_default().to_string_lossy().into_owned(), fs::read(path).expect("readable"))
        })
        .collect();
    files.sort();
    files
}

/// Returns the engine's output for some commands.
fn dialogue(commands: &str) -> String {
    dialogue_with(&mut Command::new(ENGINE), commands)
}

/// Returns the output of the engine started by this command.
fn dialogue_with(command: &mut Command, commands: &str) -> String {
    let mut engine = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the engine starts");
    engine.stdin.take().expect("piped").write_all(commands.as_bytes()).expect("the engine reads");
    text(&engine.wait_with_output().expect("the engine ends"))
}

#[test]
fn tables_of_a_folder_are_played_by() {
    let dir = folder("played");
    text(&build(&dir, "lasker", "5-4", &[]));
    let path = dir.to_string_lossy();
    let commands = format!(
        "setoption name TablebasePath value {path}\nposition fen XOO/1O1/3/XX3O/3/3/XO1 w 0 0 0 1\ngo depth 1\n\
         setoption name TablebaseProbeLimit value 8\ngo nodes 1000\n\
         setoption name UCI_Variant value lasker\nposition fen XOO/1O1/3/XX3O/3/3/XO1 w 0 0 0 1\ngo nodes 1000\n\
         setoption name TablebaseProbeLimit value 9\ngo nodes 1000\nsetoption name Skill Level value 15\ngo depth 1\n\
         setoption name Flying value false\n"
    );
    let said = dialogue(&commands);
    let answers: Vec<&str> = said.lines().filter(|line| line.starts_with("info depth")).collect();
    assert!(answers[0].starts_with("info depth 29 seldepth 29 multipv 1 score mate 15 nodes 0"), "{said}");
    assert_eq!(answers.iter().filter(|line| line.contains("score mate 15 nodes 0")).count(), 2, "{said}");
    assert!(said.contains("tablebases: 8 sectors, up to 24 on the board"), "{said}");
    assert!(!said.contains("not used"), "those of other rules are passed over: {said}");
}

/// A compact file gives the results of its folder to every command, and a damaged one is named.
#[test]
fn a_compact_file_stands_for_its_folder() {
    let dir = folder("compact");
    let [tables, file] = ["tables", "rules.mbt"].map(|name| dir.join(name));
    let [from, out] = [&tables, &file].map(|path| path.to_string_lossy());
    text(&tablebase(&["build", "--rules", "Stones=3", "--sectors", "game", "--results", "--out", &from]));
    let made = text(&tablebase(&["compact", "--from", &from, "--out", &out]));
    assert!(made.starts_with("3-3 ") && made.contains(" bits a slot "), "{made}");
    let checked = text(&tablebase(&["verify", &out, "--against", &from]));
    let counted = |path: &str| {
        let stats: Value = serde_json::from_str(&text(&tablebase(&["stats", path, "--json"]))).expect("a list");
        let sectors = stats.as_array().expect("a list").iter();
        sectors.map(|sector| (sector["sector"].clone(), sector["reduced"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(counted(&out), counted(&from));
    assert_eq!(checked.lines().count(), counted(&out).len());
    let parts = ["1/2", "2/2"].map(|part| text(&tablebase(&["verify", &out, "--against", &from, "--shard", part])));
    assert_eq!(parts.iter().map(|part| part.lines().count()).sum::<usize>(), counted(&out).len());
    for options in [&["--plain"][..], &["--sectors", "3-3"], &["--sample", "5"]] {
        let refused = refusal(&tablebase(&[&["verify", &out], options].concat()));
        assert!(refused.contains(&format!("{} unusable with a compact file", options[0])), "{refused}");
        let refused = tablebase(&[&["verify", &out, "--against", &from], options].concat()).stderr;
        let refused = String::from_utf8_lossy(&refused);
        assert!(refused.contains("'--against <DIR>' cannot be used with") && refused.contains(options[0]), "{refused}");
    }
    for fen in ["3/3/3/6/3/3/3 w 3 3", "X2/3/3/6/3/3/O2 w 2 2", "XO1/3/3/6/3/3/X1O w 1 1", "XX1/3/3/6/3/3/O1O w 1 1"] {
        let [by_file, by_folder] = [&out, &from]
            .map(|path| text(&tablebase(&["probe", fen, "--rules", "Stones=3", "--path", path, "--no-embedded"])));
        // Distances are in the folder alone.
        let results = |answer: &str| {
            let mut lines: Vec<String> =
                answer.lines().map(|line| line.split(" in ").next().unwrap_or(line).into()).collect();
            lines.sort();
            lines
        };
        assert_eq!(results(&by_file), results(&by_folder), "{fen}");
        let said = dialogue(&format!(
            "setoption name Stones value 3\nsetoption name TablebaseEmbedded value false\n\
             setoption name TablebasePath value {out}\nposition fen {fen} 0 1\ngo depth 3\n"
        ));
        // The moves are listed best first.
        let listed: Vec<Vec<&str>> = by_file.lines().skip(2).map(|line| line.split_whitespace().collect()).collect();
        let best = said.lines().find_map(|line| line.strip_prefix("bestmove ")?.split(' ').next()).unwrap_or_default();
        let played = listed.iter().find(|line| line[0] == best).map(|line| line[1]);
        assert_eq!(played, Some(listed[0][1]), "{fen}: {said}");
    }
    let mut bytes = fs::read(&file).expect("readable");
    let last = bytes.len();
    bytes[60] ^= 1;
    fs::write(&file, &bytes).expect("written");
    assert!(refusal(&tablebase(&["verify", &out])).contains("rules.mbt: damaged header: its checksum is wrong"));
    fs::write(&file, &bytes[..last - 1]).expect("written");
    let fault = refusal(&tablebase(&["probe", "3/3/3/6/3/3/3 w 3 3", "--rules", "Stones=3", "--path", &out]));
    assert!(fault.contains(&format!("rules.mbt: {} bytes long, expected {last}", last - 1)), "{fault}");
}

/// A folder may have more files than a process may initially open.
#[cfg(unix)]
#[test]
fn a_folder_has_many_files() {
    let dir = folder("many_files");
    text(&build(&dir, "morris", "2+2-2+2", &["--placing"]));
    let tables = contents(&dir).len() - 1;
    assert!(tables > 20, "{tables} files");
    let commands = format!("setoption name TablebasePath value {}\n", dir.display());
    let said = dialogue_with(Command::new("sh").args(["-c", "ulimit -Sn 20; exec \"$0\"", ENGINE]), &commands);
    assert!(said.contains("sectors, up to") && !said.contains("not used"), "{said}");
}

#[test]
fn stats_are_the_known_figures() {
    let mut checked = 0;
    for variant in ["morris", "mylos", "mlyn"] {
        let rows: Vec<Vec<&str>> = KNOWN
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| line.split('\t').collect())
            .filter(|row: &Vec<&str>| row[0] == variant)
            .collect();
        let dir = folder(&format!("known-{variant}"));
        let sectors: Vec<&str> = rows.iter().map(|row| row[1]).collect();
        text(&build(&dir, variant, &sectors.join(","), &[]));
        let stats = text(&tablebase(&["stats", &dir.to_string_lossy(), "--json"]));
        let stats: Vec<Value> = serde_json::from_str(&stats).expect("a list");
        for row in rows {
            let found = stats.iter().find(|found| found["sector"] == row[1]).expect("built");
            let count = |kind: &str, of: &str| found[kind][of].as_u64().expect("a number").to_string();
            let plies = |of: &str| found[of]["plies"].as_u64().map_or("-".to_string(), |plies| plies.to_string());
            let numbers = ["reduced", "unreduced"].map(|kind| ["wins", "losses", "draws"].map(|of| count(kind, of)));
            let mut figures = numbers.concat();
            figures.extend([plies("longest_win"), plies("longest_loss")]);
            assert_eq!(figures, row[2..], "{variant} {}", row[1]);
            checked += 1;
        }
        let table = text(&tablebase(&["stats", &dir.to_string_lossy()]));
        assert!(table.contains("3-3") && table.contains("One of the longest"), "{table}");
    }
    assert_eq!(checked, 7);
}

#[test]
fn builds_give_the_same_bytes_with_any_number_of_threads() {
    let one = folder("one");
    text(&build(&one, "morris", "4-4,5-3", &["--threads", "1"]));
    let two = folder("two");
    text(&build(&two, "morris", "4-4,5-3", &["--threads", "2"]));
    let expected = contents(&one);
    assert_eq!(expected.len(), 11, "3-4 and 3-5 have no distances");
    assert!(contents(&two) == expected);
    assert_eq!(text(&build(&two, "morris", "4-4,5-3", &[])), "", "nothing is left to do");
}

#[test]
fn files_keep_their_bytes() {
    for variant in ["morris", "mylos", "mlyn", "morabaraba", "lasker", "mylos+", "morabaraba+"] {
        let dir = folder(&format!("sums-{variant}"));
        let output = match variant.strip_suffix('+') {
            Some(variant) => build(&dir, variant, "3+1-3+1", &["--placing"]),
            None => build(&dir, variant, "4-4,5-3", &[]),
        };
        text(&output);
        let found: Vec<String> = contents(&dir)
            .into_iter()
            .map(|(name, bytes)| format!("{variant}\t{name}\t{}\t{:016x}", bytes.len(), xxh3_64(&bytes)))
            .collect();
        let expected: Vec<&str> = SUMS.lines().filter(|line| line.split('\t').next() == Some(variant)).collect();
        assert_eq!(found, expected);
    }
}

/// Probes a folder for some positions of each sector: results and values are known, and agree.
fn ask<E: Endings>(endings: &E, dir: &Path) {
    let mut tables = Tablebase::none(endings.clone());
    assert!(tables.add_folder(dir).is_empty());
    let mut rng = fastrand::Rng::with_seed(4);
    for sector in tables.sectors() {
        let slots = endings.slots(sector);
        for pos in (0..4_000).filter_map(|_| endings.position(sector, rng.u64(..slots))) {
            let verdict = tables.verdict(&pos);
            assert!(
                verdict.is_some() && tables.value(&pos).map(|value| value.verdict()) == verdict,
                "{}",
                endings.fen(&pos)
            );
        }
    }
    assert!(tables.new_faults().is_empty());
}

#[test]
fn results_and_distances_of_a_folder_agree() {
    for (variant, sectors, more) in [
        (Variant::Morris, "4-4,5-3", &[][..]),
        (Variant::Mlyn, "5-3", &[]),
        (Variant::Mylos, "3+1-3+1", &["--placing"]),
        (Variant::Smess, "3", &[]),
    ] {
        let dir = folder(&format!("agree-{variant}"));
        text(&build(&dir, &variant.to_string(), sectors, more));
        with_endings!(variant.rules(), |endings| ask(&endings, &dir), else unreachable!("there are tables"));
        text(&tablebase(&["verify", &dir.to_string_lossy(), "--sample", "20000"]));
    }
}

#[test]
fn derived_distances_need_the_tables_they_follow_from() {
    let dir = folder("underived");
    text(&build(&dir, "morris", "4-3", &[]));
    fs::remove_file(dir.join("4-3.dtw")).expect("there");
    let endings = MorrisEndings::new(FLYING, 9);
    let mut tables = Tablebase::none(endings);
    let refusals = tables.add_folder(&dir);
    assert!(refusals.len() == 1 && refusals[0].to_string().contains("4-3.dtw"));
    let sector = tables.sectors().into_iter().find(|&sector| endings.name(sector) == "3-4").expect("built");
    let mut rng = fastrand::Rng::with_seed(3);
    let mut unknown = 0;
    for pos in (0..5_000).filter_map(|_| endings.position(sector, rng.u64(..endings.slots(sector)))) {
        let verdict = tables.verdict(&pos).expect("its results are there");
        match tables.value(&pos) {
            Some(value) => assert_eq!(value.verdict(), verdict),
            None => unknown += 1,
        }
        assert!(verdict != Verdict::Draw || tables.value(&pos).is_some(), "a draw needs no distance");
    }
    assert!(unknown > 0);
}

/// Starts a build with one thread that prints a line for each pair it has built.
fn start_build(dir: &Path, sectors: &str) -> Child {
    let mut command = Command::new(ENGINE);
    command.args(["tablebase", "build", "--sectors", sectors, "--threads", "1", "--out"]).arg(dir);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the engine starts")
}

#[test]
fn builds_that_share_a_folder_share_the_work() {
    let alone = folder("alone");
    let pairs = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.split("  ").next().unwrap_or_default().to_string()).collect()
    };
    let mut expected = pairs(&text(&build(&alone, "morris", "5-3,3-5,4-4", &[])));
    expected.sort();
    let shared = folder("shared");
    let mut killed = start_build(&shared, "5-3,4-4");
    // The same pair from its other side.
    let others = [start_build(&shared, "4-4,3-5"), start_build(&shared, "5-3,4-4")];
    // The first pair is done: the builds are in the middle of their work.
    while !shared.join("manifest.json").exists() {
        std::thread::yield_now();
    }
    killed.kill().expect("it is ours");
    let mut first = String::new();
    killed.stdout.take().expect("piped").read_to_string(&mut first).expect("text");
    killed.wait().expect("it has ended");
    let mut built = pairs(&first);
    for other in others {
        let output = other.wait_with_output().expect("it ends");
        assert!(output.stderr.is_empty(), "{output:?}");
        built.extend(pairs(&text(&output)));
    }
    // The killed build may not have printed its last finished pair.
    let unreported = expected.iter().filter(|pair| !built.contains(pair)).count();
    assert!(unreported <= 1, "{built:?}");
    built.sort();
    let reported = built.len();
    built.dedup();
    assert_eq!((reported, built.len() + unreported), (built.len(), expected.len()), "no pair twice: {built:?}");
    assert!(contents(&shared) == contents(&alone));
}

#[test]
fn parts_of_a_check_are_the_whole() {
    let dir = folder("parts");
    text(&build(&dir, "morris", "4-3", &[]));
    let path = dir.to_string_lossy().into_owned();
    let checked = |more: &[&str]| -> Vec<(String, u64)> {
        let said = text(&tablebase(&[&["verify", &path], more].concat()));
        let words = said.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        words.map(|words| (words[0].to_string(), words[1].parse().expect("a number"))).collect()
    };
    let count = |lists: &[Vec<(String, u64)>], sector: &str| -> u64 {
        lists.iter().flatten().filter(|(name, _)| name == sector).map(|(_, slots)| slots).sum()
    };
    for more in [&[][..], &["--plain"], &["--sample", "100000"]] {
        let whole = checked(more);
        let parts: Vec<_> =
            ["1/3", "2/3", "3/3"].iter().map(|shard| checked(&[&["--shard", shard], more].concat())).collect();
        assert_eq!(whole.len(), 3);
        for (sector, slots) in &whole {
            assert_eq!(count(&parts, sector), *slots, "{sector}");
            // Row by row, a whole sector belongs to one part.
            let shares = parts.iter().filter(|part| count(std::slice::from_ref(part), sector) > 0).count();
            assert_eq!(shares, if more.is_empty() { 1 } else { 3 }, "{sector} {more:?}");
        }
    }
    // Each fault is found by exactly one part.
    let manifest = fs::read_to_string(dir.join("manifest.json")).expect("readable");
    let mut wrong: Value = serde_json::from_str(&manifest).expect("sound");
    let wins = &mut wrong["sectors"]["4-3"]["reduced"]["wins"];
    *wins = (wins.as_u64().expect("a number") - 1).into();
    fs::write(dir.join("manifest.json"), wrong.to_string()).expect("written");
    let outputs = ["1/3", "2/3", "3/3"].map(|shard| tablebase(&["verify", &path, "--shard", shard]));
    let faulty: Vec<_> = outputs.iter().filter(|output| !output.status.success()).collect();
    assert!(faulty.len() == 1 && refusal(faulty[0]).contains("4-3: the manifest counts"), "{faulty:?}");
    let none = tablebase(&["verify", &path, "--shard", "4/3"]);
    assert_eq!(none.status.code(), Some(2));
}

#[test]
fn damaged_files_are_named_refused_and_built_again() {
    let dir = folder("damaged");
    text(&build(&dir, "morris", "4-3", &[]));
    let expected = contents(&dir);
    let path = dir.to_string_lossy().into_owned();
    text(&tablebase(&["verify", &path]));
    let victim = dir.join("4-3.dtw");
    let sound = fs::read(&victim).expect("readable");
    let mut broken = sound.clone();
    let last = broken.len() - 5;
    broken[last] ^= 0x10;
    for (bytes, reason) in [
        (&broken[..], "damaged block"),
        (&sound[..sound.len() - 9], "bytes long"),
        (&sound[..3], "bytes long"),
        (&b"PNG and so on, nothing that belongs here, and long enough for a header"[..], "no table of this kind"),
        (&fs::read(dir.join("3-3.dtw")).expect("readable")[..], "other forces"),
    ] {
        fs::write(&victim, bytes).expect("written");
        let message = refusal(&tablebase(&["verify", &path]));
        assert!(message.contains("4-3.dtw") && message.contains(reason), "{message}");
    }
    fs::write(&victim, &sound[..100]).expect("written");
    let commands = format!(
        "setoption name TablebaseEmbedded value false\nsetoption name TablebasePath value {path}\n\
         position fen OO1/1O1/3/1O1XXX/3/3/3 w 0 0\ngo nodes 2000\n"
    );
    let said = dialogue(&commands);
    assert!(said.contains("info string tablebase not used: ") && said.contains("4-3.dtw: 100 bytes long"), "{said}");
    assert!(said.contains("tablebases: 3 sectors") && said.contains("\nbestmove "), "{said}");
    // With other rules no table counts; with the original rules the damage is reported again, but not the number of
    // tables.
    let variants = "setoption name UCI_Variant value mlyn\nisready\nsetoption name UCI_Variant value morris\n";
    let said = dialogue(&format!("{commands}{variants}"));
    let (before, after) = said.split_once("readyok").expect("an answer");
    assert_eq!([before, after].map(|said| said.matches("4-3.dtw: 100 bytes long").count()), [1, 1], "{said}");
    assert_eq!((said.matches("tablebase not used").count(), said.matches("tablebases: ").count()), (2, 2), "{said}");
    let output = tablebase(&["probe", "OO1/1O1/3/1O1XXX/3/3/3 w 0 0", "--path", &path]);
    assert!(refusal(&output).contains("4-3.dtw"));
    text(&build(&dir, "morris", "4-3", &[]));
    assert!(contents(&dir) == expected);
    fs::write(dir.join("manifest.json"), "{\"format\": 2").expect("written");
    for refused in [tablebase(&["stats", &path]), build(&dir, "morris", "4-3", &[])] {
        let message = refusal(&refused);
        assert!(message.contains("manifest.json: damaged") && message.contains("delete it"), "{message}");
    }
}

#[test]
fn a_build_repairs_what_is_damaged() {
    let dir = folder("repaired");
    text(&build(&dir, "morris", "4-3", &[]));
    let expected = contents(&dir);
    let repaired = |name: &str| {
        let output = build(&dir, "morris", "4-3", &["--threads", "2"]);
        let pair = if name.starts_with("3-3") { "3-3" } else { "4-3 3-4" };
        let built = text(&output);
        assert!(built.starts_with(pair) && built.lines().count() == 1, "{name}: {built}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let again = format!("building {} again", pair.replace(' ', " and "));
        assert!(said.contains(name) && said.contains(&again) && said.trim().lines().count() == 1, "{said}");
        assert!(contents(&dir) == expected, "{name}");
    };
    // A byte to change: in the last block where none is given, and in the directory at 60.
    for (name, at) in [("3-3.wdl", None), ("3-3.dtw", None), ("4-3.dtw", Some(20)), ("4-3.dtw", Some(60))] {
        let mut bytes = fs::read(dir.join(name)).expect("readable");
        let at = at.unwrap_or(bytes.len() - 1);
        bytes[at] ^= 4;
        fs::write(dir.join(name), bytes).expect("written");
        // Its dependants are sound, and remain.
        repaired(name);
    }
    // A derived sector has only results.
    fs::OpenOptions::new().write(true).open(dir.join("3-4.wdl")).and_then(|file| file.set_len(500)).expect("cut");
    repaired("3-4.wdl");
    fs::remove_file(dir.join("4-3.wdl")).expect("there");
    repaired("4-3.wdl");
    let idle = build(&dir, "morris", "4-3", &[]);
    assert!(idle.status.success() && idle.stdout.is_empty() && idle.stderr.is_empty(), "{idle:?}");
}

#[cfg(unix)]
#[test]
fn pipes_in_place_of_files_make_nobody_wait() {
    let dir = folder("pipes");
    text(&build(&dir, "morris", "4-3", &[]));
    let expected = contents(&dir);
    let path = dir.to_string_lossy().into_owned();
    let replace = |name: &str| {
        let _ = fs::remove_file(dir.join(name));
        assert!(Command::new("mkfifo").arg(dir.join(name)).status().expect("mkfifo").success());
    };
    replace("4-3.dtw");
    replace("3-4.wdl.tmp");
    let said = dialogue(&format!("setoption name TablebasePath value {path}\nposition fen x\n"));
    assert!(said.contains("4-3.dtw: not a regular file"), "{said}");
    assert!(refusal(&tablebase(&["verify", &path])).contains("4-3.dtw: not a regular file"));
    text(&build(&dir, "morris", "4-3", &[]));
    assert!(contents(&dir) == expected);
    replace("locks/4-4");
    assert!(refusal(&build(&dir, "morris", "4-4", &[])).contains("locks/4-4: not a regular file"));
    replace("manifest.json");
    assert!(refusal(&tablebase(&["stats", &path])).contains("manifest.json: not a regular file"));
}

#[test]
fn a_damaged_block_names_its_file() {
    let dir = folder("block");
    text(&build(&dir, "morris", "4-3", &[]));
    let victim = dir.join("4-3.wdl");
    let sound = fs::read(&victim).expect("readable");
    let mut bytes = sound.clone();
    // The blocks of the file begin after its header and directory.
    let start = 56 + 16 * 874_920_usize.div_ceil(30_720);
    bytes[start..].iter_mut().for_each(|byte| *byte ^= 0x55);
    fs::write(&victim, bytes).expect("written");
    let message = refusal(&tablebase(&["verify", &dir.to_string_lossy(), "--sectors", "4-3"]));
    assert!(message.contains("4-3.wdl: damaged block"), "{message}");
    let commands = format!(
        "setoption name TablebaseEmbedded value false\nsetoption name TablebasePath value {}\n\
         position fen OOO/O2/3/3X2/3/3/XX1 w 0 0\ngo depth 8\nisready\n",
        dir.display()
    );
    let said = dialogue(&commands);
    let complaints: Vec<&str> = said.lines().filter(|line| line.contains("damaged block")).collect();
    assert_eq!(complaints.len(), 1, "{said}");
    let begin = format!("info string tablebase {}: damaged block ", victim.display());
    assert!(complaints[0].starts_with(&begin) && complaints[0].ends_with("'tablebase build' repairs it"), "{said}");
}

#[test]
fn a_file_cut_short_while_it_is_open_is_a_fault() {
    let dir = folder("cut");
    text(&build(&dir, "morris", "4-3", &[]));
    let mut engine = Client::new();
    engine.ask(&format!(
        "setoption name TablebaseEmbedded value false\nsetoption name TablebasePath value {}",
        dir.display()
    ));
    for name in ["4-3.dtw", "3-3.dtw"] {
        fs::OpenOptions::new().write(true).open(dir.join(name)).and_then(|file| file.set_len(60)).expect("cut");
    }
    engine.send("position fen OOO/O2/3/3X2/3/3/XX1 w 0 0\ngo depth 2");
    let said = engine.until("bestmove").join("\n");
    assert!(said.contains("dtw: cut short since it was opened"), "{said}");
    engine.finish();
}

#[test]
fn a_closed_output_ends_every_job_without_a_panic() {
    let dir = folder("closed");
    let path = dir.to_string_lossy().into_owned();
    let closed = |words: &[&str]| {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = Command::new(ENGINE).arg("tablebase").args(words).stdout(writer).output().expect("an end");
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() != Some(101) && !complaint.contains("panicked"), "{words:?}: {output:?}");
    };
    closed(&["build", "--sectors", "4-3", "--out", &path]);
    let names: Vec<String> = contents(&dir).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["3-3.dtw", "3-3.wdl", "manifest.json"], "what was finished is kept");
    let rest = text(&build(&dir, "morris", "4-3", &[]));
    assert!(rest.starts_with("4-3 3-4 ") && rest.lines().count() == 1, "{rest}");
    closed(&["stats", &path]);
    closed(&["stats", &path, "--json"]);
    closed(&["verify", &path, "--sample", "100"]);
    closed(&["probe", "1O1/3/3/X4O/3/3/XOX w 0 0 0 1"]);
    closed(&["probe", "1O1/3/3/X4O/3/3/XOX w 0 0 0 1", "--json"]);
    text(&tablebase(&["verify", &path]));
}

#[test]
fn requests_that_cannot_be_met_are_refused() {
    let dir = folder("refused");
    let refused = |sectors: &str, more: &[&str]| refusal(&build(&dir, "morris", sectors, more));
    assert!(refused("4-2", &[]).contains("names no sector"));
    assert!(refused("9-8", &["--memory", "1G"]).contains("of memory needed, expected at most 1.0 GiB"));
    text(&build(&dir, "morris", "3-3", &[]));
    let other = refusal(&build(&dir, "mlyn", "3-3", &[]));
    assert!(other.contains("flying=true") && other.contains("expected morris flying=false"), "{other}");
    // These endings have the same rules.
    text(&build(&dir, "muehle", "3-3", &[]));
    assert!(refusal(&tablebase(&["stats", "/no/such/folder"])).contains("made by 'tablebase build'"));
    let occupied = dir.join("file");
    fs::write(&occupied, "").expect("written");
    assert!(refusal(&build(&occupied, "morris", "3-3", &[])).contains("file"));
}

/// Packs know positions of strategies: the result that a side can hold, and with both sides' strategies the value.
#[test]
fn probes_look_into_packs() {
    let start = text(&tablebase(&["probe", "3/3/3/6/3/3/3 w 9 9"]));
    assert!(start.lines().nth(1) == Some("draw") && start.contains("\nd6       draw"), "{start}");
    let open = "--variant=morabaraba";
    let won = text(&tablebase(&["probe", open, "3/3/3/6/3/3/3 w 12 12", "--json"]));
    let won: Value = serde_json::from_str(&won).expect("JSON");
    assert_eq!((&won["value"], &won["bound"]), (&"unknown".into(), &"win or draw".into()), "{won}");
    assert_eq!(won["moves"][0]["bound"], "win or draw");
    let best = won["moves"][0]["move"].as_str().expect("a move").to_string();
    let game = AnyGame::new(Variant::Morabaraba.rules()).at(None, [best.as_str()]).expect("a legal move");
    assert_eq!(text(&tablebase(&["probe", open, &game.fen()])).lines().nth(1), Some("draw or loss"));
    for (variant, fen) in [("--variant=morris", "3/3/3/6/3/3/3 w 9 9"), (open, &game.fen())] {
        assert!(refusal(&tablebase(&["probe", variant, "--no-embedded", fen])).contains("no table has"), "{fen}");
    }
}

#[test]
fn probes_list_every_move_best_first() {
    let fen = "1O1/3/3/X4O/3/3/XOX w 0 0 0 1";
    let answer = text(&tablebase(&["probe", fen, "--json"]));
    let answer: Value = serde_json::from_str(&answer).expect("an object");
    assert_eq!((&answer["value"], &answer["plies"]), (&"loss".into(), &26.into()));
    let moves = answer["moves"].as_array().expect("a list");
    assert_eq!(moves.len(), 54);
    let plies: Vec<u64> = moves.iter().map(|mv| mv["plies"].as_u64().expect("all lose")).collect();
    assert!(plies[0] == 26 && plies.is_sorted_by(|a, b| a >= b), "the longest loss first");
    assert!(moves.iter().all(|mv| mv["category"] == "loss") && answer["category"] == "loss", "{answer}");
    let late = text(&tablebase(&["probe", "1O1/3/3/X4O/3/3/XOX w 0 0 80 60"]));
    let late: Vec<&str> = late.lines().collect();
    assert_eq!(late[1], "loss in 26 (blessed-loss)");
    assert_eq!(late[2..4], ["g4a7     loss in 26 (blessed-loss)", "d7a7     loss in 18"]);
    assert!(refusal(&tablebase(&["probe", fen, "--no-embedded"])).contains("no table has"));
    assert!(refusal(&tablebase(&["probe", "x", "--no-embedded"])).contains("bad FEN"));
    let smess = text(&tablebase(&["probe", "--variant", "smess", "3b3/7/7/7/7/7/3S3/3B3 w 0 1"]));
    assert!(smess.lines().nth(1).is_some_and(|line| line.starts_with("win in ")), "{smess}");
}

/// The longest win of three against three takes 25 plies; the longest within 20 plies without a mill takes 19.
#[test]
fn tables_with_a_draw_counter_are_built_checked_and_asked() {
    let dir = folder("draw-counter");
    let path = dir.to_string_lossy();
    let built = text(&build(&dir, "muehle", "4-3", &["--draw-counter"]));
    assert!(
        built.lines().next().is_some_and(|line| line.contains("  19 plies ") || line.contains("  20 plies ")),
        "{built}"
    );
    for more in [&["--plain"][..], &[]] {
        let checked = text(&tablebase(&[&["verify", &path], more].concat()));
        assert_eq!(checked.lines().count(), 3, "{checked}");
    }
    let stats = text(&tablebase(&["stats", &path]));
    assert!(stats.starts_with("morris flying=true removal=if-all diagonals=false no-mill-draw=20\n"), "{stats}");
    let probe = |board: &str, counter: u32| {
        let fen = format!("{board} w 0 0 {counter} 60");
        let output = tablebase(&["probe", &fen, "--variant", "muehle", "--path", &path, "--json", "--no-embedded"]);
        serde_json::from_str::<Value>(&text(&output)).expect("an object")
    };
    assert_eq!(probe("XOO/3/3/X4X/3/3/2O", 0)["value"], "draw", "25 plies are too many");
    let mills = "XXX/3/3/1OO3/3/3/2O";
    let quiet = |counter: u32| {
        let answer = probe(mills, counter);
        assert_eq!((&answer["value"], &answer["progress"]), (&"win".into(), &1.into()));
        let moves = answer["moves"].as_array().expect("a list");
        moves.iter().find(|probed| probed["move"] == "g1b2").expect("legal").clone()
    };
    let expected = |value: &str, more: Value| {
        let mut expected = serde_json::json!({"move": "g1b2", "value": value});
        expected.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        expected
    };
    assert_eq!(quiet(17), expected("win", serde_json::json!({"progress": 3, "category": "win"})));
    assert_eq!(
        quiet(18),
        expected("draw", serde_json::json!({"category": "draw"})),
        "the mill would come a ply too late"
    );
    let others = refusal(&tablebase(&["probe", &format!("{mills} w 0 0"), "--path", &path]));
    assert!(others.contains("no-mill-draw=20, expected morris flying=true removal=if-all diagonals=false"), "{others}");
    let more = refusal(&build(&dir, "morris", "3-3", &["--draw-counter"]));
    assert!(more.contains("no-mill-draw=20") && more.contains("no-mill-draw=100"), "{more}");
    let never = refusal(&build(&dir, "mylos", "3-3", &["--draw-counter"]));
    assert!(never.contains("no tables with the draw counter of these rules: expected a No Mill Draw"), "{never}");
    let serve = Command::new(ENGINE).args(["serve", "--tablebase", &path]).output().expect("the engine starts");
    assert!(refusal(&serve).contains("tables with a draw counter, expected tables that ignore it"));
}

#[test]
fn reports_can_be_read_by_programs() {
    let dir = folder("json");
    let lines = text(&build(&dir, "smess", "3", &["--json", "--threads", "1"]));
    let reports: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert_eq!(reports.len(), 2);
    assert_eq!(reports[0]["sectors"], serde_json::json!(["BS-B", "B-BS"]));
    assert_eq!(reports.iter().map(|report| report["positions"].as_u64().unwrap_or(0)).sum::<u64>(), 665_280);
    let checked = text(&tablebase(&["verify", &dir.to_string_lossy(), "--sample", "5000", "--sectors", "BN-B"]));
    assert!(checked.contains("5000 of      166320 slots checked"), "{checked}");
}
