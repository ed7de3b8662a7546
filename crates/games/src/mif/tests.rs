//! Tests of the round trip of games and rules, and of rejected input.

use super::*;
use crate::forms::{self, Format, Reading};
use crate::game::Node;
use millbrain_core::morris::Rules;
use millbrain_core::morris::rules::{LASKER, MLYN, MORABARABA, MORRIS, MUEHLE};
use millbrain_core::variant::{NamedRules, Variant};
use std::collections::BTreeSet;

fn like() -> Game {
    Game::default()
}

/// Returns rule sets of which MIF has all facts.
fn known_rules() -> Vec<Rules> {
    let house = Rules { stones: 7, flying: false, no_mill_draw: 0, repetition_draw: false, ..MORRIS };
    let once = Rules { once_per_line: true, no_mill_draw: 30, ..MORABARABA };
    vec![MORRIS, MUEHLE, MLYN, LASKER, MORABARABA, house, once, Rules { once_per_line: true, ..LASKER }]
}

fn game_by(rules: Rules) -> Game {
    Game::by(NamedRules::nearest(Ruleset::Morris(rules)))
}

/// Plays a random game to its end, or to this number of plies.
fn random(rules: Rules, plies: usize, rng: &mut fastrand::Rng) -> Game {
    let mut game = game_by(rules);
    let mut any = game.first().expect("rules");
    let mut at = 0;
    while at < plies && any.ending().is_none() {
        let text = rng.choice(any.moves()).expect("not over");
        at = game.add(at, &any.push(&text).expect("legal"));
    }
    game.end = game.end_by_rules().expect("legal moves");
    game
}

fn read_one(text: &str) -> Result<Game, String> {
    let games = read(text, &like()).map_err(|error| error.to_string())?;
    let [game] = <[Game; 1]>::try_from(games).expect("one game");
    Ok(game)
}

/// Returns a text with a member set to another value; `null` removes it.
fn changed(text: &str, path: &str, value: Value) -> String {
    let mut object: Value = serde_json::from_str(text).expect("JSON");
    let (parent, name) = path.rsplit_once('/').expect("a pointer");
    match object.pointer_mut(parent).expect(path) {
        Value::Object(members) if value.is_null() => drop(members.remove(name)),
        Value::Object(members) => drop(members.insert(name.to_string(), value)),
        Value::Array(items) => items[name.parse::<usize>().expect("a number")] = value,
        other => panic!("{path}: {other}"),
    }
    object.to_string()
}

#[test]
fn random_games_of_all_rules_come_back() {
    let mut rng = fastrand::Rng::with_seed(6);
    let mut reasons = BTreeSet::new();
    for rules in known_rules() {
        for plies in [0, 7, 20, 400, 400] {
            let game = random(rules, plies, &mut rng);
            reasons.extend(game.end.as_ref().map(|end| end.reason.clone()));
            let text = write(&game).expect("MIF");
            let reading = Reading { form: Format::Mif, game: game.clone(), notes: Vec::new() };
            assert_eq!(forms::read(&text, None, &like()), Ok(vec![reading]), "{text}");
            // From a position in the middle, with either side to move.
            let Some(first) = game.nodes.len().checked_sub(5) else { continue };
            let mut from = game.clone();
            let line: Vec<&str> = game.nodes[..first].iter().map(|node| node.played.text.as_str()).collect();
            from.fen = Some(AnyBoard::new(game.rules().expect("rules")).board(None, line).expect("legal").fen());
            if rules.no_mill_draw == 0 {
                // In this case nothing is counted.
                let fen = from.fen.take().expect("a FEN");
                let mut fields: Vec<&str> = fen.split(' ').collect();
                fields[4] = "0";
                from.fen = Some(fields.join(" "));
            }
            from.nodes =
                game.nodes[first..].iter().cloned().enumerate().map(|(parent, node)| Node { parent, ..node }).collect();
            from.end = from.end_by_rules().expect("legal moves");
            assert_eq!(read_one(&write(&from).expect("MIF")), Ok(from));
        }
    }
    assert!(reasons.len() >= 3, "{reasons:?}");
}

#[test]
fn games_that_players_and_referees_have_ended_come_back() {
    let ended = |termination: &Termination| !matches!(termination, Termination::Normal | Termination::Unfinished);
    let kinds: Vec<_> = Termination::ALL.into_iter().filter(ended).collect();
    for (outcome, kind) in Outcome::ALL.into_iter().flat_map(|outcome| kinds.iter().map(move |kind| (outcome, *kind))) {
        for reason in ["", "some words"] {
            let mut game = game_by(MLYN);
            game.add(0, "d6");
            game.end = Some(End { outcome, termination: kind, reason: reason.to_string() });
            let text = write(&game).expect("MIF");
            assert_eq!(read_one(&text), Ok(game), "{text}");
            let is_resigned =
                kind == Termination::Resignation && matches!(outcome, Outcome::WhiteWins | Outcome::BlackWins);
            let is_agreed = kind == Termination::Agreement && outcome == Outcome::Draw;
            assert_eq!(text.contains(":resignation\""), is_resigned, "{text}");
            assert_eq!(text.contains("d:agreement\"") && text.contains("\"accepted\""), is_agreed, "{text}");
            assert_eq!(text.contains(":adjudication\""), outcome != Outcome::Open && !is_resigned && !is_agreed);
        }
    }
}

#[test]
fn a_game_is_written_as_events() {
    let mut game = game_by(MORRIS);
    for (parent, text) in ["a7", "d2", "d7", "d1", "g7xd2"].into_iter().enumerate() {
        game.add(parent, text);
    }
    let text = write(&game).expect("MIF");
    let object: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(object["origin"], "MFEN/1.0 mill24-state-v1 ......../......../........ w p p 9,9 - 0 0 -");
    assert_eq!(object["current"], "MFEN/1.0 mill24-state-v1 WWW..B../......../........ b p p 6,7 - 0 5 -");
    assert_eq!(object["events"][3], json!({"seq": 4, "actor": "b", "type": "place", "at": "d1"}));
    let removal = json!({"seq": 6, "actor": "w", "type": "remove", "target": {"zone": "board", "at": "d2"}});
    assert_eq!(object["events"][5], removal);
    // A placement restarts the list of positions.
    let [last] = object["repetitionHistory"].as_array().expect("a list").as_slice() else { panic!("{text}") };
    assert_eq!((&last["source"], &last["eventSeq"], &last["key"]["side"]), (&json!("event"), &json!(6), &json!("b")));
    // Back and forth: with the first position these are nine, and the first has occurred a third time.
    let fen = Some("O2/1O1/2O/O2X2/3/XX1/2X w 0 0 4 9".to_string());
    let mut game = Game { fen, ..game_by(MORRIS) };
    for (parent, text) in ["a7d7", "g1g4", "d7a7", "g4g1"].repeat(2).into_iter().enumerate() {
        game.add(parent, text);
    }
    let object: Value = serde_json::from_str(&write(&game).expect("MIF")).expect("JSON");
    let history = object["repetitionHistory"].as_array().expect("a list");
    assert_eq!((history.len(), &history[0]["source"]), (9, &json!("origin")));
    assert_eq!((&history[8]["key"], &history[8]["eventSeq"]), (&history[0]["key"], &json!(8)));
    let current = object["current"].as_str().expect("a record");
    assert!(current.ends_with(" - o o 0,0 - 12 24 d:repetition"), "{current}");
}

#[test]
fn who_was_first_may_be_another_than_here() {
    // Black to move after no ply, then after one.
    let text = write(&game_by(MORRIS)).expect("MIF");
    let black = "MFEN/1.0 mill24-state-v1 W......./B......./........ b p p 8,8 - 0 0 -";
    let after = "MFEN/1.0 mill24-state-v1 W......./B......./.B...... w p p 8,7 - 0 1 -";
    let event = json!([{"seq": 1, "actor": "b", "type": "place", "at": "d5"}]);
    let text = changed(&changed(&text, "/origin", black.into()), "/events", event);
    let game = read_one(&changed(&text, "/current", after.into())).expect("a game");
    assert_eq!(game.fen.as_deref(), Some("O2/X2/3/6/3/3/3 b 8 8 0 1"));
    assert_eq!(game.nodes.len(), 1);
}

#[test]
fn positions_and_draw_offers_are_read() {
    let text = write(&game_by(LASKER)).expect("MIF");
    let object: Value = serde_json::from_str(&text).expect("JSON");
    let mut position = json!({"format": "MIFPOS/1.0", "annotations": {"from": 0.5}, "ruleset": object["ruleset"]});
    for (name, value) in [("positionFormat", &object["positionFormat"]), ("stateProfile", &object["stateProfile"])] {
        position[name] = value.clone();
    }
    position["position"] = "MFEN/1.0 mill24-state-v1 W......./B......./........ b p p 9,9 - 3 8 -".into();
    let game = read_one(&position.to_string()).expect("a position");
    assert_eq!((game.variant.as_str(), game.fen.as_deref()), ("lasker", Some("O2/X2/3/6/3/3/3 b 9 9 3 5")));
    let offers = json!([
        {"seq": 1, "actor": "w", "type": "offer-draw"},
        {"seq": 2, "actor": "b", "type": "decline-draw", "offerEventSeq": 1},
        {"seq": 3, "actor": "w", "type": "offer-draw", "annotations": {}},
        {"seq": 4, "actor": "b", "type": "accept-draw", "offerEventSeq": 3},
    ]);
    let agreed = "MFEN/1.0 mill24-state-v1 ......../......../........ - o o 10,10 - 0 0 d:agreement";
    let text = changed(&changed(&text, "/events", offers), "/current", agreed.into());
    assert_eq!(
        read_one(&text).expect("a game").end.map(|end| (end.outcome, end.termination)),
        Some((Outcome::Draw, Termination::Agreement))
    );
    assert_eq!(read("", &like()), Ok(Vec::new()));
}

#[test]
fn rules_come_back_by_their_manifest_and_by_reference() {
    let mut digests = BTreeSet::new();
    for rules in known_rules() {
        let manifest = rules::manifest(&rules::named(rules, None)).expect("MIF");
        assert_eq!(rules::rules(&manifest), Ok(rules));
        let mut envelope = rules::envelope(&rules::named(rules, None)).expect("MIF");
        assert_eq!(rules::resolve(&envelope, Variant::Smess.rules()), Ok(rules));
        envelope["mode"] = "reference".into();
        envelope.as_object_mut().expect("an object").remove("manifest");
        assert_eq!(rules::resolve(&envelope, Ruleset::Morris(rules)), Ok(rules));
        digests.insert(envelope["semanticDigest"].to_string());
        let is_variant = Variant::ALL.iter().any(|variant| variant.rules() == Ruleset::Morris(rules));
        assert_eq!(rules::resolve(&envelope, Variant::Smess.rules()).is_ok(), is_variant, "{rules:?}");
    }
    assert_eq!(digests.len(), known_rules().len(), "a digest for each");
    for (variant, house_rules, words) in [
        ("mylos", "", "MIF: no manifest can tell the rule Removal=never, expected a game without it"),
        (
            "morris",
            "Removals=each mill",
            "MIF: no manifest can tell the rule Removals=each mill, expected a game without it",
        ),
        ("smess", "", "MIF has no Smess, expected a game of the morris family"),
        ("six", "", "MIF has no Six Men's Morris, expected a game of the morris family"),
    ] {
        let game = Game { variant: variant.to_string(), house_rules: house_rules.to_string(), ..Game::default() };
        assert_eq!(write(&game).expect_err(variant).to_string(), words);
    }
}

#[test]
fn what_is_switched_off_or_cannot_matter_may_differ() {
    let morris = rules::manifest(&rules::named(MORRIS, None)).expect("MIF");
    let digest = rules::semantic_digest(&morris);
    for (path, value) in [
        ("/id", json!("a.club-9")),
        ("/version", json!(4)),
        ("/title", json!("")),
        ("/status", json!("registered")),
        ("/annotations", json!({"by": "a club"})),
        ("/description", json!("words")),
        ("/captures/leap/phases", json!([])),
        ("/captures/leap/maximumOwnLivePieces", json!(3)),
        ("/captures/custodian/lines/cross", json!(true)),
    ] {
        let manifest: Value = serde_json::from_str(&changed(&morris.to_string(), path, value)).expect("JSON");
        assert_eq!(rules::rules(&manifest), Ok(MORRIS), "{path}");
        assert_eq!(rules::semantic_digest(&manifest), digest, "{path} is no fact");
    }
    let facts = [
        ("/boardFull/action", json!("white-loses")),
        ("/turn/placingEndActivePlayer", json!("w")),
        ("/placing/noLegalPrimaryAction", json!("loss")),
        ("/draw/offers/expiry", json!("on-opponent-primary-action")),
        ("/draw/noProgress/resetEvents", json!(["board-remove"])),
        ("/draw/noProgress/countedPrimaryActions", json!(["move", "place"])),
        ("/draw/repetition/observation", json!("stable-moving-v1")),
        ("/draw/repetition/resetEvents", json!([])),
    ];
    let plain = |path: &str| facts.iter().find(|(known, _)| *known == path).cloned().expect(path);
    for (path, value) in facts.clone() {
        let manifest: Value = serde_json::from_str(&changed(&morris.to_string(), path, value)).expect("JSON");
        assert_eq!(rules::rules(&manifest), Ok(MORRIS), "{path}");
        assert_ne!(rules::semantic_digest(&manifest), digest, "{path} is a fact");
    }
    // Where stones slide during placing, or fill the board, these matter.
    for (path, rules) in [
        ("/boardFull/action", MORABARABA),
        ("/turn/placingEndActivePlayer", LASKER),
        ("/draw/noProgress/resetEvents", LASKER),
        ("/draw/repetition/observation", LASKER),
    ] {
        let text = rules::manifest(&rules::named(rules, None)).expect("MIF").to_string();
        let manifest: Value = serde_json::from_str(&changed(&text, path, plain(path).1)).expect("JSON");
        assert!(rules::rules(&manifest).is_err_and(|error| error.to_string().starts_with(path)), "{path}");
    }
    // Counting without a reset matters.
    let counted = changed(&morris.to_string(), "/draw/noProgress/countedPrimaryActions", json!(["move", "place"]));
    let counted = changed(&counted, "/draw/noProgress/resetEvents", json!(["board-remove"]));
    let counted: Value = serde_json::from_str(&counted).expect("JSON");
    let reported = "/draw/noProgress/countedPrimaryActions is [\"move\",\"place\"], expected [\"move\"]";
    assert_eq!(rules::rules(&counted).map_err(|error| error.to_string()), Err(reported.to_string()));
    // The same limit for three stones.
    let mut manifest = morris.clone();
    let counter = manifest.pointer_mut("/draw/noProgress").expect("there");
    counter["endgamePredicate"] = "either-player-live-equals-3".into();
    let reported = "/draw/noProgress/endgameLimit is 0, expected 100";
    assert_eq!(rules::rules(&manifest).map_err(|error| error.to_string()), Err(reported.to_string()));
    manifest["draw"]["noProgress"]["endgameLimit"] = 100.into();
    assert_eq!(rules::rules(&manifest), Ok(MORRIS));
}

#[test]
fn facts_that_are_not_ours_are_named() {
    let text = rules::manifest(&rules::named(MORRIS, None)).expect("MIF").to_string();
    for (path, value, expected) in [
        ("/format", json!("MRS/0.4"), "\"MRS/1.0\""),
        ("/id", json!("Morris"), "\"x-millbrain-morris\""),
        ("/pieces/white", json!(13), "a number from 3 to 12"),
        ("/pieces/black", json!(8), "9"),
        ("/pieces/minimumLive", json!(2), "3"),
        ("/turn/initial", json!("b"), "\"w\""),
        ("/flying/maximumLive", json!(4), "3"),
        ("/flying/enabled", json!("yes"), "false"),
        ("/placing/earlyStop/emptyPoints", json!(2), "0"),
        ("/mills/placingEffect", json!("opponent-remove-own-board"), "\"remove-opponent-board\""),
        ("/mills/targetProtection", json!("all-opponent"), "\"outside-mill-first\""),
        ("/mills/removalMultiplicity", json!("one-per-new-line"), "\"one-per-primary\""),
        ("/mills/lineReuse", json!("twice"), "\"unlimited\""),
        ("/captures/leap/enabled", json!(true), "false"),
        ("/captures/leap/phases", json!(["placing", "moving"]), "[\"moving\",\"placing\"]"),
        ("/stalemate/action", json!("draw"), "\"loss\""),
        ("/draw/noProgress/normalLimit", json!(-1), "a number from 0 to 1000"),
        ("/draw/noProgress/mode", json!("claim"), "\"automatic\""),
        ("/draw/noProgress/countedPrimaryActions", json!(["place"]), "[\"move\"]"),
        ("/draw/noProgress/resetEvents", json!(["place"]), "[\"mill-formation\",\"place\"]"),
        ("/draw/repetition/count", json!(2), "3"),
        ("/semanticState", json!(["placement-count"]), "[]"),
        ("/extensions", json!([{"profile": "x-a", "value": 1}]), "no such member"),
        ("/turn/last", json!(1), "no such member"),
        ("/draw/offers", Value::Null, "{\"expiry\":\"explicit-only\"}"),
    ] {
        let manifest: Value = serde_json::from_str(&changed(&text, path, value.clone())).expect("JSON");
        let found = if value.is_null() { "missing".to_string() } else { value.to_string() };
        let reported = format!("{path} is {found}, expected {expected}");
        assert_eq!(rules::rules(&manifest).map_err(|error| error.to_string()), Err(reported));
    }
    let text = changed(&text, "/boardFull/action", json!("disabled"));
    let manifest: Value =
        serde_json::from_str(&changed(&text, "/placing/noLegalPrimaryAction", json!("apply-board-full")))
            .expect("JSON");
    let reported =
        "/placing/noLegalPrimaryAction is \"apply-board-full\", expected draw or loss where a full board has no effect";
    assert_eq!(rules::rules(&manifest).map_err(|error| error.to_string()), Err(reported.to_string()));
}

#[test]
fn what_is_no_game_is_reported() {
    let mut game = game_by(MORRIS);
    for (parent, text) in ["a7", "d2", "d7", "d1", "g7xd2"].into_iter().enumerate() {
        game.add(parent, text);
    }
    let text = write(&game).expect("MIF");
    let end = json!({"seq": 7, "actor": "w", "type": "resign"});
    for (path, value, reported) in [
        ("/format", json!("MSTATE/0.4"), "/format is \"MSTATE/0.4\", expected MSTATE/1.0 or MIFPOS/1.0"),
        ("/claims", Value::Null, "/claims is missing, expected this member"),
        ("/digest", json!(1), "/digest is 1, expected no such member"),
        ("/stateProfile", json!("x"), "/stateProfile is \"x\", expected mill24-state-v1"),
        ("/ruleset/mode", json!("x"), "/ruleset/mode is \"x\", expected portable or reference"),
        ("/ruleset/id", json!("x"), "/ruleset/id is \"x\", expected \"x-millbrain-morris\""),
        ("/ruleset/manifest/stalemate/action", json!("draw"), "/stalemate/action is \"draw\", expected \"loss\""),
        ("/ruleset/semanticDigest", json!("x"), "/ruleset/semanticDigest is \"x\", expected \"sha256:"),
        ("/ruleset/documentDigest", json!("x"), "/ruleset/documentDigest is \"x\", expected \"sha256:"),
        ("/ruleset/manifest/annotations", json!({"a": 0.5}), "the number 0.5, expected whole numbers below 2^53"),
        ("/origin", json!("startpos"), "/origin is \"startpos\", expected a record of MFEN/1.0"),
        ("/origin", json!("MFEN/1.0 mill24-state-v1 x - o o"), "/origin: the game is over, expected"),
        ("/events", json!({}), "/events is {}, expected a list"),
        ("/events/1/seq", json!(3), "/events/1/seq is 3, expected 2"),
        ("/events/1/actor", json!("w"), "/events/1/actor is \"w\", expected b"),
        ("/events/1/at", json!("d6xa7"), "/events/1/at is \"d6xa7\", expected a point such as d6"),
        ("/events/1/at", json!("a7"), "event 2 is illegal, expected a legal move"),
        ("/events/1/interventionLine", json!(3), "/events/1/interventionLine is 3, expected no such member"),
        ("/events/1/type", json!("claim-draw"), "/events/1/type is \"claim-draw\", expected an event of a game with"),
        ("/events/1/type", json!("move"), "/events/1/from is missing, expected this member"),
        ("/events/5/target/zone", json!("hand"), "/events/5/target/zone is \"hand\", expected board"),
        ("/events/5/target/at", json!("g4"), "event 5 cannot take g4, expected a move such as g7x"),
        ("/events/5", end.clone(), "/events/5/seq is 7, expected 6"),
        (
            "/repetitionHistory/0/source",
            json!("pre-origin"),
            "/repetitionHistory/0/source is \"pre-origin\", expected origin or event",
        ),
        ("/current", json!("x"), "/current is \"x\", but the events lead to \"MFEN/1.0 mill24-state-v1 WWW..B../"),
    ] {
        let error = read_one(&changed(&text, path, value)).expect_err(path);
        assert!(error.strip_prefix("MIF: ").is_some_and(|error| error.starts_with(reported)), "{error}");
    }
    let mut events: Value = serde_json::from_str::<Value>(&text).expect("JSON")["events"].clone();
    let list = events.as_array_mut().expect("a list");
    let removal = list.pop().expect("an event");
    for (more, reported) in [
        (vec![], "event 5 closes a mill: name the stone to take, such as g7xd"),
        (vec![removal.clone(), end.clone(), json!({"seq": 8, "actor": "b", "type": "offer-draw"})], "/events/7 is {"),
    ] {
        let list: Vec<Value> = list.iter().cloned().chain(more).collect();
        let error = read_one(&changed(&text, "/events", list.into())).expect_err("a fault");
        assert!(error.strip_prefix("MIF: ").is_some_and(|error| error.starts_with(reported)), "{error}");
    }
    let early = json!([{"seq": 1, "actor": "w", "type": "remove", "target": {"zone": "board", "at": "a7"}}]);
    let error = read_one(&changed(&text, "/events", early)).expect_err("a fault");
    assert!(error.ends_with("expected a removal after a move that closes a mill"), "{error}");
    assert!(read_one(&text.replacen("{", "{\"claims\":[],", 1)).is_err_and(|error| error.contains("stands twice")));
    for (text, expected) in [
        ("{\"format\": \"MRS/1.0\"} {", true),
        ("{\n\"id\": 1, \"format\": \"MSTATE/1.0\"", true),
        ("{\"id\": \"format\"}", false),
        ("{\"format\": \"text\"}", false),
        ("{a \"format\"} 1. d6", false),
    ] {
        assert_eq!(is_object(text), expected, "{text}");
    }
    assert!(read_one(&text[..90]).is_err_and(|error| error.starts_with("MIF: EOF")));
}
