//! Games between people: the documented messages, lost connections, limits, and kills in mid-game.

use crate::common::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::SocketAddr;
use std::time::Duration;

/// A player or spectator.
struct Person {
    socket: Engine,
}

impl Person {
    fn watching(address: SocketAddr) -> Person {
        let socket = Engine::at(address, "/play", &[]).unwrap_or_else(|status| panic!("refused with {status}"));
        Person { socket }
    }

    /// Connects a player with the token of this number.
    fn new(address: SocketAddr, number: usize) -> Person {
        let mut person = Person::watching(address);
        person.say(&json!({"do": "hello", "tokens": [token(number)]}));
        person
    }

    fn say(&mut self, message: &Value) {
        self.socket.send(&message.to_string());
    }

    /// Returns the next message; `None` when the connection is lost.
    fn hear(&mut self) -> Option<Value> {
        self.socket.next().ok().map(|text| serde_json::from_str(&text).expect("a message"))
    }

    /// Returns the first message that contains these fields.
    fn until(&mut self, what: &Value) -> Value {
        loop {
            let heard = self.hear().unwrap_or_else(|| panic!("lost, expected {what}"));
            if has(&heard, what) {
                return heard;
            }
        }
    }

    fn refusal(&mut self, message: &Value) -> String {
        self.say(message);
        let reported = self.until(&json!({"event": "refused"}));
        // The manual lists the codes for translators.
        let code = reported["code"].as_str().expect("a code");
        assert!(manual().contains(&format!("| `{code}` |")), "{reported}");
        assert!(reported["values"].is_object(), "{reported}");
        assert_eq!(reported["game"], message["game"], "the game that it was about");
        reported["error"].as_str().expect("a line").to_string()
    }
}

fn manual() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/server.md")).expect("the manual")
}

/// Whether a message contains all of another.
fn has(heard: &Value, what: &Value) -> bool {
    match (heard, what) {
        (Value::Array(heard), Value::Array(what)) => {
            heard.len() == what.len() && heard.iter().zip(what).all(|(heard, what)| has(heard, what))
        }
        (Value::Object(heard), Value::Object(what)) => {
            what.iter().all(|(name, value)| heard.get(name).is_some_and(|heard| has(heard, value)))
        }
        (heard, what) => heard == what,
    }
}

fn token(number: usize) -> String {
    format!("{number:032x}")
}

/// Returns an invitation, the same for the same number.
fn create(number: usize, more: &Value) -> Value {
    let mut message = json!({"do": "create", "nonce": number.to_string(), "variant": "morris", "colour": "white"});
    message.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    message
}

/// Opens a game; returns its ID.
fn invite(host: &mut Person, number: usize, more: &Value) -> String {
    host.say(&create(number, more));
    host.until(&json!({"event": "seat"}))["game"].as_str().expect("a name").to_string()
}

/// Returns two opponents and the ID of their game.
fn pair(address: SocketAddr, clock: Value) -> (Person, Person, String) {
    let (mut white, mut black) = (Person::new(address, 1), Person::new(address, 2));
    let game = invite(&mut white, 1, &json!({"clock": clock, "name": "Ann"}));
    black.say(&json!({"do": "join", "game": game, "name": "Bo"}));
    white.until(&json!({"event": "state", "stage": "playing", "there": {"black": true}}));
    black.until(&json!({"event": "state", "stage": "playing"}));
    (white, black, game)
}

#[test]
fn the_messages_of_the_manual_are_true() {
    let manual = manual();
    let (_, after) = manual.split_once("```play\n").expect("a transcript");
    let (transcript, _) = after.split_once("```").expect("its end");
    let folder = Folder::new();
    let server = with_archive(&folder);
    let mut people: HashMap<&str, Person> = HashMap::new();
    let mut names: Vec<(&str, String)> = Vec::new();
    let mut lines = 0;
    for line in transcript.lines() {
        let (who, text) = line.split_once(' ').expect("a message");
        let (who, is_said) = (&who[..who.len() - 1], who.ends_with('>'));
        let mut text = text.to_string();
        names.iter().for_each(|(name, id)| text = text.replace(&format!("{name:?}"), &format!("{id:?}")));
        let person = people.entry(who).or_insert_with(|| Person::watching(server.address()));
        let mut message: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {line}"));
        if is_said {
            person.say(&message);
        } else {
            // A placeholder for an ID that appears here first.
            for (field, name) in [("game", "GAME"), ("next", "NEXT")] {
                if message[field] == name {
                    message.as_object_mut().expect("an object").remove(field);
                    let heard =
                        std::iter::repeat_with(|| person.until(&message)).find(|heard| heard[field].is_string());
                    let heard = heard.expect("it is there at last");
                    names.push((name, heard[field].as_str().unwrap_or_else(|| panic!("{heard}")).to_string()));
                    message = json!({});
                    break;
                }
            }
            if message != json!({}) {
                person.until(&message);
            }
        }
        lines += 1;
    }
    assert!(lines > 20 && names.len() == 2, "{names:?}");
    // A finished game is in the archive.
    let game = get(server.address(), "/api/games/1").json();
    assert_eq!((&game["white"], &game["black"], &game["source"]), (&json!("Ann"), &json!("Bo"), &json!("people")));
    let figures = get(server.address(), "/metrics").text();
    assert!(figures.contains("millbrain_people_games{stage=\"playing\"} 1\n"), "{figures}");
    assert!(figures.contains("millbrain_people_games_total 1\n"), "{figures}");
}

#[test]
fn a_lost_connection_loses_nothing() {
    let folder = Folder::new();
    let server = with_archive(&folder);
    let (mut white, black, game) = pair(server.address(), json!("300"));
    white.say(&json!({"do": "move", "game": game, "ply": 0, "move": "d6"}));
    white.until(&json!({"moves": ["d6"]}));
    drop(black);
    white.until(&json!({"there": {"white": true, "black": false}}));
    // The offer comes while the opponent is disconnected.
    white.say(&json!({"do": "offer", "game": game, "what": "draw"}));
    white.until(&json!({"offers": {"draw": "white"}}));
    let mut black = Person::new(server.address(), 2);
    let own = black.until(&json!({"event": "games"}));
    let expected = json!({"game": game, "side": "black", "turn": "black", "plies": 1, "offers": {"draw": "white"}});
    assert!(has(&own["games"][0], &expected), "{own}");
    black.say(&json!({"do": "follow", "game": game}));
    let state = black.until(&json!({"event": "state"}));
    assert!(has(
        &state,
        &json!({"moves": ["d6"], "offers": {"draw": "white"}, "there": {"white": true, "black": true}})
    ));
    black.say(&json!({"do": "move", "game": game, "ply": 1, "move": "f4"}));
    black.say(&json!({"do": "move", "game": game, "ply": 1, "move": "f4"}));
    white.until(&json!({"moves": ["d6", "f4"], "running": "white"}));
    // Spectators play no moves, and see no secrets.
    let mut other = Person::new(server.address(), 3);
    other.say(&json!({"do": "follow", "game": game}));
    let state = other.until(&json!({"event": "state", "spectators": 1})).to_string();
    assert!(!state.contains(&token(1)) && !state.contains("key"), "{state}");
    let fault = other.refusal(&json!({"do": "move", "game": game, "ply": 2, "move": "d2"}));
    assert!(fault.contains("no seat"), "{fault}");
    assert!(other.refusal(&json!({"do": "join", "game": game})).contains("both seats"));
    other.say(&json!({"do": "follow", "game": null}));
    white.until(&json!({"event": "state", "spectators": 0}));
}

/// A player's own games after all messages so far: the initial ones, and all changes since. Also the number of reads.
struct Own(Person, HashMap<String, Value>, usize);

impl Own {
    fn new(address: SocketAddr, number: usize) -> Own {
        Own(Person::new(address, number), HashMap::new(), 0)
    }

    /// Reads until the server has answered all earlier requests.
    fn settle(&mut self) {
        self.2 += 1;
        self.0.say(&json!({"do": "ping"}));
        loop {
            let heard = self.0.hear().expect("a message");
            match heard["event"].as_str() {
                Some("pong") => return,
                Some("games") => {
                    for game in heard["games"].as_array().expect("games") {
                        self.1.insert(game["game"].as_str().expect("a name").to_string(), game.clone());
                    }
                }
                _ => {}
            }
        }
    }

    /// Returns the games that were not withdrawn, without fields that change by themselves.
    fn games(&mut self) -> BTreeMap<String, Value> {
        self.settle();
        let live = self.1.iter().filter(|(_, game)| game["stage"] != "aborted");
        let timeless = |game: &Value| {
            let mut game = game.clone();
            ["until", "clocks"].iter().for_each(|name| game[*name] = Value::Null);
            game
        };
        live.map(|(name, game)| (name.clone(), timeless(game))).collect()
    }
}

/// After any actions of three people in several games, the messages to each add up to a fresh list of its games.
#[test]
fn own_games_are_reported_as_they_are() {
    const STEPS: usize = 400;
    let folder = Folder::new();
    let server = with_archive(&folder);
    let address = server.address();
    let mut people: Vec<Own> = (1..4).map(|number| Own::new(address, number)).collect();
    let mut names: Vec<String> = Vec::new();
    let mut seed = 1_u64;
    let mut chance = |most: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % most
    };
    let mut seen = BTreeSet::new();
    for step in 0..STEPS {
        let who = chance(3);
        // A client may send at most forty messages in a burst.
        if people[who].2 > 15 {
            people[who] = Own::new(address, who + 1);
        }
        let Own(person, own, _) = &mut people[who];
        let name = if names.is_empty() { String::new() } else { names[chance(names.len())].clone() };
        let what = ["draw", "takeback", "rematch"][chance(3)];
        match chance(12) {
            0 if own.values().filter(|game| game["stage"] == "open").count() < 2 => {
                let clock = [Value::Null, json!("300+3")][chance(2)].clone();
                person.say(&create(step, &json!({"clock": clock, "listed": true, "colour": null})));
            }
            1 | 2 => person.say(&json!({"do": "join", "game": name})),
            3 => person.say(&json!({"do": "offer", "game": name, "what": what})),
            4 => person.say(&json!({"do": "accept", "game": name, "what": what})),
            5 if chance(4) == 0 => person.say(&json!({"do": "resign", "game": name})),
            6 if chance(4) == 0 => person.say(&json!({"do": "cancel", "game": name})),
            7 => person.say(&json!({"do": "follow", "game": name})),
            8 if chance(3) == 0 => people[who] = Own::new(address, who + 1),
            _ => {
                let ply = own.get(&name).map_or(0, |game| game["plies"].as_u64().expect("plies"));
                // Any free point, legal or not.
                let text = ["d6", "f4", "d2", "b4", "e4", "d7", "g4", "a4", "c4", "d5", "g7", "a7"][chance(12)];
                person.say(&json!({"do": "move", "game": name, "ply": ply, "move": text}));
            }
        }
        people[who].settle();
        names.extend(people[who].1.keys().filter(|name| !names.contains(name)).cloned().collect::<Vec<_>>());
        if step % 20 == 19 {
            for (number, person) in people.iter_mut().enumerate() {
                let reported = person.games();
                let mut again = Own::new(address, number + 1);
                assert_eq!(reported, again.games(), "after step {step}");
                seen.extend(reported.values().map(|game| game["stage"].as_str().expect("a stage").to_string()));
            }
        }
    }
    // The test is meaningful only if all stages occur.
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), ["open", "over", "playing"]);
    assert!(people.iter_mut().any(|person| person.games().len() > 5), "several games at once");
}

#[test]
fn invitations_are_withdrawn_from_anywhere() {
    let folder = Folder::new();
    let server = with_archive(&folder);
    let mut host = Person::new(server.address(), 1);
    let first = invite(&mut host, 1, &json!({"listed": true}));
    invite(&mut host, 2, &json!({"clock": "300", "listed": true}));
    // A game with a clock is listed while its host is connected.
    let mut guest = Person::new(server.address(), 2);
    guest.say(&json!({"do": "lobby", "follow": true}));
    assert_eq!(guest.until(&json!({"event": "lobby"}))["games"].as_array().map(Vec::len), Some(2));
    drop(host);
    let open = guest.until(&json!({"event": "lobby"}));
    assert!(has(&open["games"], &json!([{"game": first, "there": {"white": false}}])), "{open}");
    assert_eq!(
        guest.refusal(&json!({"do": "cancel", "game": first})),
        "you have no seat in this game, expected to join it first"
    );
    let mut host = Person::new(server.address(), 1);
    let own = host.until(&json!({"event": "games"}));
    assert_eq!(own["games"].as_array().map(Vec::len), Some(2), "{own}");
    for game in own["games"].as_array().expect("games") {
        host.say(&json!({"do": "cancel", "game": game["game"]}));
        host.until(&json!({"event": "games", "games": [{"game": game["game"], "stage": "aborted"}]}));
    }
    let mut again = Person::new(server.address(), 1);
    assert_eq!(again.until(&json!({"event": "games"}))["games"], json!([]));
    guest.until(&json!({"event": "lobby", "games": []}));
}

#[test]
fn a_flag_falls_though_nobody_asks() {
    let folder = Folder::new();
    let server = with_archive(&folder);
    let (mut white, mut black, game) = pair(server.address(), json!("0.2"));
    white.say(&json!({"do": "move", "game": game, "ply": 0, "move": "d6"}));
    black.until(&json!({"moves": ["d6"]}));
    black.say(&json!({"do": "move", "game": game, "ply": 1, "move": "f4"}));
    let (clocks, termination) = (json!({"white": 0}), "time forfeit");
    let reported =
        json!({"event": "state", "stage": "over", "result": "0-1", "termination": termination, "clocks": clocks});
    white.until(&reported);
    black.until(&reported);
}

#[test]
fn bad_messages_are_reported() {
    let folder = Folder::new();
    let server = with_archive(&folder);
    let mut person = Person::watching(server.address());
    assert!(person.refusal(&create(1, &json!({}))).contains("expected a hello"));
    for (tokens, expected) in [
        (json!([]), "0 tokens, expected 1 to 16"),
        (json!(vec![token(1); 17]), "17 tokens"),
        (json!(["short"]), "token, expected 32"),
        (json!([token(1).replace('0', "A")]), "token, expected 32"),
    ] {
        let reported = person.refusal(&json!({"do": "hello", "tokens": tokens}));
        assert!(reported.contains(expected), "{reported}");
    }
    person.say(&json!({"do": "hello", "tokens": [token(1), token(2)]}));
    for (message, expected) in [
        (json!("x"), "expected a message"),
        (json!({"do": "fly"}), "unknown variant `fly`"),
        (json!({"do": "move", "game": null, "ply": 0, "move": "d6"}), "invalid type"),
        (json!({"do": "resign"}), "missing field `game`"),
        (json!({"do": "resign", "game": "nothing"}), "no such game"),
        (json!({"do": "follow", "game": "nothing"}), "no such game"),
        (create(1, &json!({"variant": "chess"})), "unknown variant"),
        (create(1, &json!({"rules": "Stones=99"})), "Stones"),
        (create(1, &json!({"clock": "soon"})), "clock"),
    ] {
        let reported = person.refusal(&message);
        assert!(reported.contains(expected) && reported.lines().count() == 1, "{message}: {reported}");
    }
    let games: Vec<_> = (0..8).map(|number| invite(&mut person, number, &json!({"listed": true}))).collect();
    assert!(person.refusal(&create(9, &json!({}))).contains("8 open games"));
    person.say(&json!({"do": "cancel", "game": games[5]}));
    person.until(&json!({"event": "games", "games": [{"stage": "aborted"}]}));
    invite(&mut person, 9, &json!({}));
    // Invitations from before a restart count, and accepted ones do not.
    drop((person, server));
    let server = with_archive(&folder);
    let mut person = Person::new(server.address(), 1);
    assert!(person.refusal(&create(10, &json!({}))).contains("8 open games"));
    let mut guest = Person::new(server.address(), 99);
    guest.say(&json!({"do": "join", "game": games[3]}));
    person.until(&json!({"event": "games", "games": [{"game": games[3], "stage": "playing"}]}));
    invite(&mut person, 10, &json!({}));
    // Without an archive there are no games between people.
    let plain = start(config());
    assert_eq!(Engine::at(plain.address(), "/play", &[]).err(), Some(404));
}

#[cfg(unix)]
#[test]
fn what_was_reported_survives_kills() {
    const GAMES: usize = 3;
    let folder = Folder::new();
    let path = folder.file("games").to_string_lossy().into_owned();
    let words = ["serve", "--address", "127.0.0.1:0", "--archive", &path, "--sessions", "0", "--requests", "100000"];
    let moves = ["d6", "f4", "d2", "b4", "e4", "d7", "g4", "a4", "c4", "d5", "g7", "a7"];
    let mut process = Process::start(&words);
    // Three games at once, between the same two players.
    let (mut white, mut black, first) = pair(process.address, json!("600+5"));
    let mut games = vec![first];
    for number in 2..=GAMES {
        let game = invite(&mut white, number, &json!({"clock": "600+5", "name": "Ann"}));
        black.say(&json!({"do": "join", "game": game, "name": "Bo"}));
        black.until(&json!({"event": "state", "stage": "playing"}));
        games.push(game);
    }
    for (ply, text) in moves.iter().enumerate() {
        let (mover, other) = if ply % 2 == 0 { (&mut white, &mut black) } else { (&mut black, &mut white) };
        // Killed at once, or after the opponent has received it in one game or two.
        let reported: Vec<usize> = (0..GAMES).map(|game| ply + usize::from((ply + game) % 3 != 0)).collect();
        for (game, name) in games.iter().enumerate() {
            mover.say(&json!({"do": "move", "game": name, "ply": ply, "move": text}));
            if reported[game] > ply {
                other.until(&json!({"event": "games", "games": [{"game": name, "plies": ply + 1}]}));
            }
        }
        std::thread::sleep(Duration::from_micros((ply * ply * 131 % 3_000) as u64));
        process.signal("-9");
        process = Process::start(&words);
        white = Person::new(process.address, 1);
        black = Person::new(process.address, 2);
        for person in [&mut white, &mut black] {
            let own = person.until(&json!({"event": "games"}));
            for (name, reported) in games.iter().zip(&reported) {
                let list = own["games"].as_array().expect("games");
                let game = list.iter().find(|game| game["game"] == **name).unwrap_or_else(|| panic!("{own}"));
                let found = game["plies"].as_u64().expect("plies") as usize;
                assert!(found >= *reported && found <= ply + 1, "{found} moves, {reported} reported");
                person.say(&json!({"do": "follow", "game": name}));
                let state = person.until(&json!({"event": "state", "game": name}));
                assert_eq!(state["moves"], json!(moves[..found]));
            }
        }
        let mover = if ply % 2 == 0 { &mut white } else { &mut black };
        // A client without an answer sends it again.
        for name in &games {
            mover.say(&json!({"do": "move", "game": name, "ply": ply, "move": text}));
            mover.until(&json!({"event": "games", "games": [{"game": name, "plies": ply + 1}]}));
        }
    }
    let game = &games[0];
    white.say(&json!({"do": "resign", "game": game}));
    let over = json!({"event": "games", "games": [{"game": game, "stage": "over"}]});
    let record = black.until(&over)["games"][0]["record"].as_i64().expect("a number");
    process.signal("-9");
    let process = Process::start(&words);
    let archived = get(process.address, &format!("/api/games/{record}")).json();
    assert_eq!(archived["moves"], json!(moves));
    let mut black = Person::new(process.address, 2);
    black.say(&json!({"do": "follow", "game": game}));
    assert_eq!(black.until(&json!({"event": "state", "stage": "over"}))["record"], record);
}
