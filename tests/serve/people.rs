//! People against people: the messages of the manual, lost connections, limits, and kills in mid-game.

use crate::common::*;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::Duration;

/// Somebody who plays or watches.
struct Person {
    socket: Engine,
}

impl Person {
    fn new(address: SocketAddr) -> Person {
        let socket = Engine::at(address, "/play", &[]).unwrap_or_else(|status| panic!("refused with {status}"));
        Person { socket }
    }

    fn say(&mut self, message: &Value) {
        self.socket.send(&message.to_string());
    }

    /// The next message; none when the connection is lost.
    fn hear(&mut self) -> Option<Value> {
        self.socket.next().ok().map(|text| serde_json::from_str(&text).expect("a message"))
    }

    /// The first message that has this.
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
        let told = self.until(&json!({"event": "refused"}));
        // The manual lists the codes, and whoever translates them goes by it.
        let code = told["code"].as_str().expect("a code");
        assert!(manual().contains(&format!("| `{code}` |")), "{told}");
        told["error"].as_str().expect("a line").to_string()
    }
}

fn manual() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/server.md")).expect("the manual")
}

/// Whether a message has all of another.
fn has(heard: &Value, what: &Value) -> bool {
    match (heard, what) {
        (Value::Object(heard), Value::Object(what)) => {
            what.iter().all(|(name, value)| heard.get(name).is_some_and(|heard| has(heard, value)))
        }
        (heard, what) => heard == what,
    }
}

fn token(number: usize) -> String {
    format!("{number:032x}")
}

fn create(number: usize, more: &Value) -> Value {
    let mut message = json!({"do": "create", "token": token(number), "variant": "morris", "colour": "white"});
    message.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    message
}

/// Two who play against each other, and the name of their game.
fn pair(address: SocketAddr, clock: Value) -> (Person, Person, String) {
    let (mut white, mut black) = (Person::new(address), Person::new(address));
    white.say(&create(1, &json!({"clock": clock, "name": "Ann"})));
    let game = white.until(&json!({"event": "seat"}))["game"].as_str().expect("a name").to_string();
    black.say(&json!({"do": "join", "game": game, "token": token(2), "name": "Bo"}));
    white.until(&json!({"stage": "playing", "there": {"black": true}}));
    black.until(&json!({"stage": "playing"}));
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
        let person = people.entry(who).or_insert_with(|| Person::new(server.address()));
        let mut message: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {line}"));
        if is_said {
            person.say(&message);
        } else {
            // A name that stands for one that is told here first.
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
    // What ended is in the archive.
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
    white.say(&json!({"do": "move", "ply": 0, "move": "d6"}));
    white.until(&json!({"moves": ["d6"]}));
    drop(black);
    white.until(&json!({"there": {"white": true, "black": false}}));
    // The offer comes while nobody is there.
    white.say(&json!({"do": "offer", "what": "draw"}));
    white.until(&json!({"offers": {"draw": "white"}}));
    let mut black = Person::new(server.address());
    assert!(black.refusal(&json!({"do": "follow", "game": game, "token": token(3)})).contains("no seat"));
    black.say(&json!({"do": "follow", "game": game, "token": token(2)}));
    let state = black.until(&json!({"event": "state"}));
    assert!(has(
        &state,
        &json!({"moves": ["d6"], "offers": {"draw": "white"}, "there": {"white": true, "black": true}})
    ));
    black.say(&json!({"do": "move", "ply": 1, "move": "f4"}));
    black.say(&json!({"do": "move", "ply": 1, "move": "f4"}));
    white.until(&json!({"moves": ["d6", "f4"], "running": "white"}));
    // Spectators play no moves, and know no secrets.
    let mut other = Person::new(server.address());
    other.say(&json!({"do": "follow", "game": game}));
    let state = other.until(&json!({"event": "state", "spectators": 1})).to_string();
    assert!(!state.contains(&token(1)) && !state.contains("key"), "{state}");
    assert!(other.refusal(&json!({"do": "move", "ply": 2, "move": "d2"})).contains("watch"));
    assert!(other.refusal(&json!({"do": "join", "game": game, "token": token(3)})).contains("both seats"));
}

#[test]
fn a_flag_falls_though_nobody_asks() {
    let folder = Folder::new();
    let server = with_archive(&folder);
    let (mut white, mut black, _) = pair(server.address(), json!("0.2"));
    white.say(&json!({"do": "move", "ply": 0, "move": "d6"}));
    black.until(&json!({"moves": ["d6"]}));
    black.say(&json!({"do": "move", "ply": 1, "move": "f4"}));
    let told = json!({"stage": "over", "result": "0-1", "termination": "time forfeit", "clocks": {"white": 0}});
    white.until(&told);
    black.until(&told);
}

#[test]
fn bad_messages_are_told() {
    let folder = Folder::new();
    let server = with_archive(&folder);
    let mut person = Person::new(server.address());
    for (message, expected) in [
        (json!("x"), "expected a message"),
        (json!({"do": "fly"}), "unknown variant `fly`"),
        (json!({"do": "move", "ply": "x", "move": "d6"}), "invalid type"),
        (json!({"do": "move", "ply": 0, "move": "d6"}), "no such game"),
        (json!({"do": "follow", "game": "nothing"}), "no such game"),
        (create(1, &json!({"token": "short"})), "token, expected 32"),
        (create(1, &json!({"variant": "chess"})), "unknown variant"),
        (create(1, &json!({"rules": "Stones=99"})), "Stones"),
        (create(1, &json!({"clock": "soon"})), "clock"),
    ] {
        let told = person.refusal(&message);
        assert!(told.contains(expected) && told.lines().count() == 1, "{message}: {told}");
    }
    let mut taken = Value::Null;
    for number in 0..8 {
        person.say(&create(number, &json!({"listed": true})));
        let state = person.until(&json!({"stage": "open"}));
        if number == 3 {
            taken = state["game"].clone();
        }
    }
    assert!(person.refusal(&create(9, &json!({}))).contains("8 open games"));
    person.say(&json!({"do": "cancel"}));
    person.until(&json!({"stage": "aborted"}));
    person.say(&create(9, &json!({})));
    person.until(&json!({"stage": "open"}));
    // Those from before a stop count, and those that have been taken do not.
    drop((person, server));
    let server = with_archive(&folder);
    let mut person = Person::new(server.address());
    assert!(person.refusal(&create(10, &json!({}))).contains("8 open games"));
    person.say(&json!({"do": "follow", "game": taken, "token": token(3)}));
    let mut guest = Person::new(server.address());
    guest.say(&json!({"do": "join", "game": taken, "token": token(99)}));
    person.until(&json!({"stage": "playing"}));
    person.say(&create(10, &json!({})));
    person.until(&json!({"stage": "open"}));
    // Without an archive nobody plays.
    let plain = start(config());
    assert_eq!(Engine::at(plain.address(), "/play", &[]).err(), Some(404));
}

#[cfg(unix)]
#[test]
fn what_was_told_survives_kills() {
    let folder = Folder::new();
    let path = folder.file("games").to_string_lossy().into_owned();
    let words = ["serve", "--address", "127.0.0.1:0", "--archive", &path, "--sessions", "0", "--requests", "100000"];
    let moves = ["d6", "f4", "d2", "b4", "e4", "d7", "g4", "a4", "c4", "d5", "g7", "a7"];
    let mut process = Process::start(&words);
    let (mut white, mut black, game) = pair(process.address, json!("600+5"));
    let mut told = 0;
    for (ply, text) in moves.iter().enumerate() {
        let (mover, other) = if ply % 2 == 0 { (&mut white, &mut black) } else { (&mut black, &mut white) };
        mover.say(&json!({"do": "move", "ply": ply, "move": text}));
        // Killed at once, or after the other has heard of it.
        let is_told = ply % 3 != 0;
        if is_told {
            other.until(&json!({"moves": moves[..=ply]}));
            told = ply + 1;
        } else {
            std::thread::sleep(Duration::from_micros((ply * ply * 131 % 3_000) as u64));
        }
        process.signal("-9");
        process = Process::start(&words);
        for (person, number) in [(&mut white, 1), (&mut black, 2)] {
            *person = Person::new(process.address);
            person.say(&json!({"do": "follow", "game": game, "token": token(number)}));
            let state = person.until(&json!({"event": "state"}));
            let found = state["moves"].as_array().expect("moves").len();
            assert!(found >= told && found <= ply + 1, "{found} moves, {told} told");
            assert_eq!(state["moves"], json!(moves[..found]));
        }
        let mover = if ply % 2 == 0 { &mut white } else { &mut black };
        // Who does not know sends it again.
        mover.say(&json!({"do": "move", "ply": ply, "move": text}));
        mover.until(&json!({"moves": moves[..=ply]}));
        told = ply + 1;
    }
    white.say(&json!({"do": "resign"}));
    let record = black.until(&json!({"stage": "over"}))["record"].as_i64().expect("a number");
    process.signal("-9");
    let process = Process::start(&words);
    let archived = get(process.address, &format!("/api/games/{record}")).json();
    assert_eq!(archived["moves"], json!(moves));
    let mut black = Person::new(process.address);
    black.say(&json!({"do": "follow", "game": game, "token": token(2)}));
    assert_eq!(black.until(&json!({"stage": "over"}))["record"], record);
}
