//! The house rules of game records and the options of the protocol that choose the rules.

use crate::common::{ENGINE, folder, run_in};
use millbrain::games::house_rules;
use millbrain::games::record::read_games;
use millbrain::options::Choice;
use millbrain::protocol::{Kind, OPTIONS, Opt, Settings};
use millbrain::variant::Variant;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Returns valid and invalid values of an option.
fn values(option: &Opt) -> Vec<String> {
    let words = match &option.kind {
        Kind::Rule(rule) => match rule.choice {
            Choice::Switch => vec!["true".to_string(), "False".to_string()],
            Choice::Number { least, most } => [least, least + 1, most, most + 1].iter().map(u16::to_string).collect(),
            Choice::Word { words } => words.iter().map(|word| word.to_uppercase()).collect(),
        },
        Kind::Combo(words, ..) => words.iter().map(|word| word.to_uppercase()).collect(),
        _ => Vec::new(),
    };
    let padded = words.iter().map(|word| format!(" {word} "));
    padded.chain(words.iter().cloned()).chain(["", "-1", "yes", "plain diagonals"].map(String::from)).collect()
}

/// Runs the program with these arguments; `@` stands for the program, `%` for the folder, `_` for a space in an
/// argument.
fn run(folder: &Path, words: &str) -> Result<String, String> {
    let name = folder.to_str().expect("a readable path");
    let words = words.split_whitespace();
    run_in(folder, words.map(|word| word.replace('_', " ").replace('@', ENGINE).replace('%', name)))
}

#[test]
fn jobs_take_house_rules() {
    let dir = folder("rules");
    let stones = |words: &str| run(&dir, &format!("perft 1 {words}")).map(|text| text.lines().count());
    assert_eq!(stones("--rules Stones=7"), stones(""));
    let fen = "O1O/3/3/2O3/XX1/3/X2_w_0_0";
    let counts = |words: &str| run(&dir, &format!("perft 1 --fen {fen} {words}")).expect("counted");
    assert_ne!(counts(""), counts("--rules flying=false"));
    // Distances depend on the house rules.
    let build = "tablebase build --sectors 3-3 --out %/tables --rules Flying=false";
    assert!(run(&dir, build).expect("built").contains("3-3"));
    let probe = |words: &str| run(&dir, &format!("tablebase probe {fen} --path %/tables {words}"));
    let with = probe("--rules Flying=false --no-embedded").expect("known");
    assert!(probe("--no-embedded").is_err_and(|error| error.contains("rules")));
    assert_ne!(Ok(with), probe(""));
    for job in
        ["perft 1", "tablebase build --sectors 3-3 --out %/none", "match --engine cmd=@ --engine cmd=@ --each depth=1"]
    {
        for (list, reported) in [
            ("Stones", "invalid rule \"Stones\": expected a pair such as Stones=7"),
            ("Stones=13", "invalid value \"13\" for Stones: expected a number from 3 to 12"),
            ("Colour=red", "unknown rule option \"Colour\": expected Stones"),
            ("Hash=1", "unknown rule option \"Hash\": expected Stones"),
        ] {
            let error = run(&dir, &format!("{job} --rules {list}")).expect_err("house rules that do not exist");
            assert!(error.contains(reported), "{job} {list}: {error}");
        }
    }
    assert!(!dir.join("none").exists());
}

#[test]
fn matches_by_house_rules_are_recorded_and_gone_on_with() {
    let dir = folder("rules-match");
    let two = "match --engine name=A cmd=@ depth=2 --engine name=B cmd=@ depth=1 --openings plies=3 seed=5";
    let rules = "--variant lasker --rules stones=4,No_Mill_Draw=12,Flying=true";
    let played = run(&dir, &format!("{two} {rules} --rounds 2 --save %/save --record %/games")).expect("played");
    assert!(played.contains("Games 4:"), "{played}");
    let games = read_games(&fs::read_to_string(dir.join("games")).expect("records")).expect("records");
    for game in &games {
        assert_eq!((game.variant.as_str(), game.house_rules.as_str()), ("lasker", "Stones=4,No Mill Draw=12"));
        assert!(game.fen.ends_with(" w 4 4 0 1"), "{}", game.fen);
    }
    assert!(run(&dir, "match --replay %/games").expect("checked").contains("4 games, 0 faulty"));
    // With fewer stones there would be too many in hand.
    let text = fs::read_to_string(dir.join("games")).expect("records").replace("Stones=4", "Stones=3");
    fs::write(dir.join("forged"), text).expect("written");
    assert!(run(&dir, "match --replay %/forged").is_err());
    // The settings are saved with the games.
    let saved = fs::read_to_string(dir.join("save")).expect("saved");
    let without_last = saved.trim_end().rsplit_once('\n').expect("games").0;
    fs::write(dir.join("save"), format!("{without_last}\n")).expect("written");
    let resumed = run(&dir, "match --resume %/save").expect("gone on with");
    assert!(resumed.contains("Resumed after 3 of 4 games"), "{resumed}");
    let error = run(&dir, "match --resume %/save --rules Stones=4").expect_err("they are saved");
    assert!(error.contains("cannot be used with"), "{error}");
    // An engine without an option of the rules is rejected, and so is a dialect without the rules.
    let other = "match --engine cmd=@ depth=1 --engine cmd=@ dialect=sanmill depth=1";
    let error = run(&dir, &format!("{other} --rules Once_Per_Line_Mills=true")).expect_err("rules it does not have");
    assert!(error.contains("its dialect has no rules of morris with Once Per Line Mills=true"), "{error}");
}

#[test]
fn lines_of_an_analysis_have_house_rules() {
    let dir = folder("rules-analysis");
    let lines = "\nmorris;;d6;Stones=5\n{\"rules\": \"Stones=6\"}\nmorris;\n3/3/3/6/3/3/3 w 4 4\nmorris;;;Stones=2\n";
    fs::write(dir.join("in"), format!("startpos{lines}")).expect("written");
    let found = run(&dir, "analyse %/in --depth 1 --rules Stones=4 --no-time --out %/out")
        .and_then(|_| fs::read_to_string(dir.join("out")).map_err(|error| error.to_string()));
    let found: Vec<Value> =
        found.expect("analysed").lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let reported: Vec<_> = found.iter().map(|object| (object["rules"].as_str(), object["fen"].as_str())).collect();
    let expected = [
        (Some("Stones=4"), Some("3/3/3/6/3/3/3 w 4 4 0 1")),
        (Some("Stones=5"), Some("3/1O1/3/6/3/3/3 b 4 5 0 1")),
        (Some("Stones=6"), Some("3/3/3/6/3/3/3 w 6 6 0 1")),
        (None, Some("3/3/3/6/3/3/3 w 9 9 0 1")),
        (Some("Stones=4"), Some("3/3/3/6/3/3/3 w 4 4 0 1")),
        (None, None),
    ];
    assert_eq!(reported, expected);
    assert_eq!(found[5]["error"], "invalid value \"2\" for Stones: expected a number from 3 to 12");
    let error =
        run(&dir, "analyse %/in --depth 1 --rules Stones=5 --no-time --out %/out --resume").expect_err("others");
    assert!(error.contains("rules is \"Stones=5\", expected \"Stones=4\""), "{error}");
}

#[test]
fn house_rules_are_what_the_options_say() {
    for option in OPTIONS.iter() {
        assert_eq!(house_rules::is_rule(option.name), option.is_rule(), "{}", option.name);
        for variant in Variant::ALL {
            for value in values(option) {
                let mut settings = Settings::default();
                settings.set("UCI_Variant", Some(variant.name())).expect("a variant");
                let is_set = settings.set(option.name, Some(&value)).is_ok() && settings.variant == variant;
                let expected = (option.is_rule() && is_set).then_some(settings.rules);
                let name = option.name.to_uppercase().replace(' ', "  ");
                let text = format!("; {name} ={value};");
                assert_eq!(house_rules::rules(variant, &text), expected, "{variant}: {text}");
            }
        }
    }
    assert!(OPTIONS.iter().filter(|option| option.is_rule()).count() == 13 && !house_rules::is_rule("Colour"));
}
