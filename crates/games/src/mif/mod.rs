//! Games and positions in the Mill Interchange Format (MIF) 1.0: `MSTATE/1.0`, a game, and `MIFPOS/1.0`, a position,
//! both JSON objects with the rules in them. A position alone is a record of [`Mfen`], which every FEN may be.
//!
//! `docs/mif.md` describes which input is read or rejected, and what the format leaves open.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

pub(crate) mod error;
mod json;
mod rules;
#[cfg(test)]
mod tests;

use crate::game::{End, Game, NotationError, unless_start};
use crate::reason;
use crate::record::{Outcome, Termination, VerifyError};
use crate::sanmill::tokens;
pub use error::MifError;
use json::{Strict, canonical};
use millbrain_core::any::AnyBoard;
use millbrain_core::game::{Ending, Notation, Reason, Side, Verdict};
use millbrain_core::morris::board::NAMES;
use millbrain_core::morris::{CUSTOM, Mfen, Morris};
use millbrain_core::play::{MoveFault, PlayError};
use millbrain_core::variant::Ruleset;
use serde_json::{Map, Value, json};

/// Checks that an object has these members and no others.
fn members(path: &str, object: &Value, required: &[&str], optional: &[&str]) -> Result<(), MifError> {
    let Some(found) = object.as_object() else { return Err(MifError::member(path, Some(object), "an object")) };
    if let Some(name) = required.iter().find(|name| !found.contains_key(**name)) {
        return Err(MifError::member(&format!("{path}/{name}"), None, "this member"));
    }
    let is_known = |name: &&str| required.contains(name) || optional.contains(name);
    match found.iter().find(|(name, _)| !is_known(&name.as_str())) {
        Some((name, value)) => Err(MifError::member(&format!("{path}/{name}"), Some(value), "no such member")),
        None => Ok(()),
    }
}

/// Returns a member that has to be one of these words.
fn word<'a>(path: &str, object: &'a Value, name: &str, words: &[&str]) -> Result<&'a str, MifError> {
    let value = object.get(name);
    let word = value.and_then(Value::as_str).filter(|word| words.contains(word));
    word.ok_or_else(|| MifError::member(&format!("{path}/{name}"), value, &words.join(" or ")))
}

/// Returns a member that has to be a point.
fn point<'a>(object: &'a Value, path: &str, name: &str) -> Result<&'a str, MifError> {
    let value = object.get(name);
    let point = value.and_then(Value::as_str).filter(|point| NAMES.contains(point));
    point.ok_or_else(|| MifError::member(path, value, "a point such as d6"))
}

const GAME: &str = "MSTATE/1.0";
const POSITION: &str = "MIFPOS/1.0";
const RECORD: &str = "MFEN/1.0";
const PROFILE: &str = "mill24-state-v1";
/// The authority that decides a game that neither the rules nor a player has ended.
const AUTHORITY: &str = "millbrain";

/// Returns whether a text begins with a record of a position.
pub fn is_record(text: &str) -> bool {
    text.starts_with("MFEN/")
}

/// Returns whether a text begins with a JSON object that names a format of MIF, as far as it can be read.
pub fn is_object(text: &str) -> bool {
    #[derive(serde::Deserialize)]
    struct Signed {
        format: String,
    }
    // A comment of a list of moves begins with a brace too.
    let begins = text.strip_prefix('{').is_some_and(|rest| rest.trim_start().starts_with('"'));
    // Most objects need no parsing for this.
    begins
        && text.contains("\"format\"")
        && match serde_json::Deserializer::from_str(text).into_iter().next() {
            Some(Ok(Signed { format })) => format.contains('/'),
            Some(Err(error)) => !error.is_data(),
            None => false,
        }
}

fn letter(side: Side) -> &'static str {
    if side == Side::White { "w" } else { "b" }
}

/// Returns the position of a game as a record, with its ending by the rules.
fn record(morris: &Morris<CUSTOM>, game: &AnyBoard) -> Result<Mfen, VerifyError> {
    let record = Mfen::of(morris, &morris.parse_fen(&game.fen()).map_err(PlayError::Fen)?);
    Ok(match game.ending() {
        // MIF checks for the third occurrence first.
        Some(ending) if ending.reason == Reason::NoProgress && is_third(game) => {
            record.ended(Ending::new(Verdict::Draw, Reason::Repetition))
        }
        Some(ending) => record.ended(ending),
        None => record,
    })
}

fn is_third(game: &AnyBoard) -> bool {
    game.draw_rules().repetition && game.occurrences() >= 3
}

/// Returns the facts that MIF compares to detect a repeated position, or `None` for a position that does not count.
fn observation(game: &AnyBoard, record: &Mfen, semantic_digest: &Value) -> Option<Value> {
    let by_position = |ending: Ending| !matches!(ending.reason, Reason::Repetition | Reason::NoProgress);
    if !game.draw_rules().repetition || game.ending().is_some_and(by_position) {
        return None;
    }
    let phase = record.phase().to_string();
    let semantic = record.used_lines.as_ref().map_or(json!({}), |lines| json!({"ul": lines}));
    Some(json!({
        "profile": "repetition-observation-v1",
        "stateProfile": PROFILE,
        "semanticDigest": semantic_digest,
        "board": record.board,
        "side": letter(record.side),
        "phase": phase,
        "action": phase,
        "hands": record.hands,
        "semantic": semantic,
    }))
}

/// Returns the main line of a game on one line, with the rules. Players, times and scores are lost.
///
/// # Errors
/// Fails for a game of another family, moves that cannot be played, or rules that MIF cannot express.
pub(crate) fn write(game: &Game) -> Result<String, NotationError> {
    let Ruleset::Morris(rules) = game.rules()? else { return Err(game.other_family("MIF has no")?) };
    let morris = Morris::<CUSTOM>::new(rules);
    let ruleset = rules::envelope(&game.named_rules()?)?;
    let semantic_digest = ruleset.get("semanticDigest").unwrap_or(&Value::Null);
    let mut any = game.first()?;
    let mut current = record(&morris, &any)?;
    let origin = current.to_string();
    if current.outcome.is_some() {
        let faults = morris.parse_fen(&origin).err().unwrap_or_default();
        return Err(MifError::Position { path: "/origin", faults }.into());
    }
    let mut events: Vec<Value> = Vec::new();
    let key = observation(&any, &current, semantic_digest);
    let mut history: Vec<Value> = key.map(|key| json!({"source": "origin", "key": key})).into_iter().collect();
    for (i, node) in game.main_line().into_iter().enumerate() {
        let (actor, text) = (letter(any.side()), &node.played.text);
        let played = any.push(text);
        let fault = |fault| PlayError::Move { number: i + 1, text: text.clone(), fault };
        let (step, removals) = tokens(&played.map_err(fault).map_err(VerifyError::from)?);
        let seq = events.len() + 1;
        events.push(match step.split_once('-') {
            Some((from, to)) => json!({"seq": seq, "actor": actor, "type": "move", "from": from, "to": to}),
            None => json!({"seq": seq, "actor": actor, "type": "place", "at": step}),
        });
        for at in removals.iter().filter_map(|removal| removal.strip_prefix('x')) {
            let target = json!({"zone": "board", "at": at});
            events.push(json!({"seq": events.len() + 1, "actor": actor, "type": "remove", "target": target}));
        }
        if !removals.is_empty() || !step.contains('-') {
            history.clear();
        }
        current = record(&morris, &any)?;
        let key = observation(&any, &current, semantic_digest);
        history.extend(key.map(|key| json!({"source": "event", "eventSeq": events.len(), "key": key})));
    }
    let (mut claims, mut open) = (Vec::new(), None);
    if let (None, Some(end)) = (&current.outcome, &game.end) {
        if end.outcome == Outcome::Open {
            open = Some(words_of(end, Termination::Unfinished));
        } else {
            let (more, outcome) = ended(end, events.len(), any.side());
            claims.extend(claim(&more));
            events.extend(more);
            current.outcome = Some(outcome);
        }
    }
    let mut object = json!({
        "format": GAME,
        "positionFormat": RECORD,
        "stateProfile": PROFILE,
        "ruleset": ruleset,
        "origin": origin,
        "events": events,
        "current": current.to_string(),
        "repetitionHistory": history,
        "preOriginClaims": [],
        "claims": claims,
    });
    annotate(&mut object, open.unwrap_or_default());
    Ok(canonical(&object)? + "\n")
}

fn winner(outcome: Outcome) -> Option<Side> {
    [Side::White, Side::Black].into_iter().find(|&side| Outcome::of(Some(side)) == outcome)
}

/// Returns the parts of an ending that an event of this kind does not contain, as annotations.
fn words_of(end: &End, implied: Termination) -> Map<String, Value> {
    let termination = Some(end.termination).filter(|own| *own != implied);
    let termination = termination.map(|own| ("termination".to_string(), own.to_string().into()));
    let reason = Some(&end.reason).filter(|reason| !reason.is_empty());
    let reason = reason.map(|reason| ("reason".to_string(), reason.as_str().into()));
    termination.into_iter().chain(reason).collect()
}

/// Adds annotations to an object, if there are any.
fn annotate(object: &mut Value, annotations: Map<String, Value>) {
    if let Some(object) = object.as_object_mut().filter(|_| !annotations.is_empty()) {
        object.insert("annotations".to_string(), annotations.into());
    }
}

/// Returns the events that end a game other than by the rules after `before` others, and the outcome.
fn ended(end: &End, before: usize, side: Side) -> (Vec<Value>, (Option<Side>, String)) {
    let (winner, seq) = (winner(end.outcome), before + 1);
    let (mut events, word, implied) = match (end.termination, winner) {
        (Termination::Resignation, Some(winner)) => {
            let event = json!({"seq": seq, "actor": letter(winner.other()), "type": "resign"});
            (vec![event], "resignation", Termination::Resignation)
        }
        (Termination::Agreement, None) => {
            let offer = json!({"seq": seq, "actor": letter(side), "type": "offer-draw"});
            let other = letter(side.other());
            let accept = json!({"seq": seq + 1, "actor": other, "type": "accept-draw", "offerEventSeq": seq});
            (vec![offer, accept], "agreement", Termination::Agreement)
        }
        _ => {
            let event = json!({
                "seq": seq,
                "actor": "system",
                "type": "adjudicate",
                "result": winner.map_or("d", letter),
                "reason": "adjudication",
                "authority": AUTHORITY,
            });
            (vec![event], "adjudication", Termination::Adjudication)
        }
    };
    if let Some(last) = events.last_mut() {
        annotate(last, words_of(end, implied));
    }
    (events, (winner, word.to_string()))
}

/// Returns the audit of an accepted offer.
fn claim(events: &[Value]) -> Option<Value> {
    let [offer, accept] = events else { return None };
    Some(json!({
        "source": "event",
        "actor": offer.get("actor"),
        "eventSeq": offer.get("seq"),
        "kind": "draw-offer",
        "status": "accepted",
        "resolvedEventSeq": accept.get("seq"),
    }))
}

/// Reads a game or a position.
pub(crate) fn read_one(text: &str, like: &Game) -> Result<Game, NotationError> {
    let mut games = read(text, like)?;
    games.pop().ok_or(NotationError::NoMoves)
}

/// Reads games and positions, one JSON object after the other; a position is a game without moves. Rules that a text
/// only refers to must be those of `like`, or of a variant.
///
/// # Errors
/// Fails with the first fault.
pub fn read(text: &str, like: &Game) -> Result<Vec<Game>, NotationError> {
    let objects = serde_json::Deserializer::from_str(text).into_iter::<Strict>();
    objects
        .map(|object| {
            let Strict(object) = object.map_err(|error| MifError::Json(error.to_string()))?;
            game(&object, like)
        })
        .collect()
}

/// Returns a record under the rules, as our FEN, with its number of plies.
fn position(
    path: &'static str,
    object: &Value,
    name: &str,
    morris: &Morris<CUSTOM>,
) -> Result<(String, u64), MifError> {
    let text = object.get(name).and_then(Value::as_str).filter(|text| is_record(text));
    let text = text.ok_or_else(|| MifError::member(path, object.get(name), "a record of MFEN/1.0"))?;
    let placed = morris.parse_fen(text).map_err(|faults| MifError::Position { path, faults })?;
    // It may differ from the number of the move: a record does not contain which side was first.
    let plies = text.split_whitespace().nth(9).and_then(|plies| plies.parse().ok());
    Ok((morris.fen(&placed), plies.unwrap_or_default()))
}

fn game(object: &Value, like: &Game) -> Result<Game, NotationError> {
    let format = word("", object, "format", &[GAME, POSITION])?;
    let common = ["format", "positionFormat", "stateProfile", "ruleset"];
    let own: &[&str] = match format {
        GAME => &["origin", "events", "current", "repetitionHistory", "preOriginClaims", "claims"],
        _ => &["position"],
    };
    members("", object, &[&common, own].concat(), &["annotations"])?;
    word("", object, "positionFormat", &[RECORD])?;
    word("", object, "stateProfile", &[PROFILE])?;
    let rules = rules::resolve(object.get("ruleset").unwrap_or(&Value::Null), like.rules()?)?;
    let named = rules::named(rules, object.pointer("/ruleset/manifest/title").and_then(Value::as_str));
    let morris = Morris::<CUSTOM>::new(rules);
    let (fen, plies) = match format {
        GAME => position("/origin", object, "origin", &morris)?,
        _ => position("/position", object, "position", &morris)?,
    };
    let mut game = Game {
        variant: named.variant.to_string(),
        house_rules: named.list(),
        fen: unless_start(fen, named.rules),
        ..Game::default()
    };
    if format == GAME {
        events(object, &mut game, &morris, plies)?;
    }
    Ok(game)
}

/// Plays the events of a game, and compares the last position.
fn events(object: &Value, game: &mut Game, morris: &Morris<CUSTOM>, plies: u64) -> Result<(), NotationError> {
    let list = |name: &str| {
        let value = object.get(name);
        value.and_then(Value::as_array).ok_or_else(|| MifError::member(&format!("/{name}"), value, "a list"))
    };
    // Positions before the first one count for the draw by repetition, and a game here has no place for them.
    for (i, entry) in list("repetitionHistory")?.iter().enumerate() {
        word(&format!("/repetitionHistory/{i}"), entry, "source", &["origin", "event"])?;
    }
    let mut any = game.first()?;
    let mut outcome = None;
    // A move that may still get removals, and the number of its event.
    let mut open: Option<(usize, String)> = None;
    let mut play = |any: &mut AnyBoard, open: &mut Option<(usize, String)>| -> Result<(), MifError> {
        if let Some((seq, text)) = open.take() {
            let text = any.push(&text).map_err(|fault| MifError::Event { seq, fault })?;
            let parent = game.nodes.len();
            game.add(parent, &text);
        }
        Ok(())
    };
    for (i, event) in list("events")?.iter().enumerate() {
        let (seq, path) = (i + 1, format!("/events/{i}"));
        let is_seq = event.get("seq").and_then(Value::as_u64) == Some(seq as u64);
        if !is_seq {
            return Err(MifError::member(&format!("{path}/seq"), event.get("seq"), &seq.to_string()).into());
        }
        let point = |object, path: &str, name: &str| point(object, &format!("{path}/{name}"), name);
        let kind = event.get("type").and_then(Value::as_str).unwrap_or_default();
        let own: &[&str] = match kind {
            "place" => &["at"],
            "move" => &["from", "to"],
            "remove" => &["target"],
            "offer-draw" | "resign" => &[],
            "accept-draw" | "decline-draw" | "withdraw-draw" => &["offerEventSeq"],
            "adjudicate" => &["result", "reason", "authority"],
            _ => {
                let expected = "an event of a game with automatic draws";
                return Err(MifError::member(&format!("{path}/type"), event.get("type"), expected).into());
            }
        };
        members(&path, event, &[&["seq", "actor", "type"], own].concat(), &["annotations"])?;
        if outcome.is_some() {
            return Err(MifError::member(&path, Some(event), "nothing after the end of the game").into());
        }
        if kind == "remove" {
            let target = event.get("target").unwrap_or(&Value::Null);
            let path = format!("{path}/target");
            members(&path, target, &["zone", "at"], &[])?;
            word(&path, target, "zone", &["board"])?;
            let at = point(target, &path, "at")?;
            let Some((_, text)) = &mut open else {
                return Err(MifError::member(&path, Some(target), "a removal after a move that closes a mill").into());
            };
            text.push('x');
            text.push_str(at);
        } else {
            play(&mut any, &mut open)?;
        }
        match kind {
            "place" | "move" | "remove" => {
                word(&path, event, "actor", &[letter(any.side())])?;
                match kind {
                    "place" => open = Some((seq, point(event, &path, "at")?.to_string())),
                    "move" => {
                        open = Some((seq, format!("{}-{}", point(event, &path, "from")?, point(event, &path, "to")?)))
                    }
                    _ => {}
                }
            }
            _ => outcome = ended_by(event, &path, kind)?,
        }
    }
    play(&mut any, &mut open)?;
    let mut reached = record(morris, &any)?;
    reached.primary_ply = plies + game.nodes.len() as u64;
    game.end = game.end_by_rules()?;
    if let Some((winner, word, reason, termination)) = outcome {
        if let Some(ending) = any.ending() {
            let (seq, fault) = (list("events")?.len(), MoveFault::GameOver(ending.reason));
            return Err(MifError::Event { seq, fault }.into());
        }
        reached.outcome = Some((winner, word));
        game.end = Some(End { outcome: Outcome::of(winner), termination, reason });
    } else if let Some(termination) = note(object, "termination").filter(|_| game.end.is_none()) {
        let reason = note(object, "reason").unwrap_or_default().to_string();
        let end = termination.parse().ok().map(|termination| End { outcome: Outcome::Open, termination, reason });
        game.end = end.filter(|end| end.termination != Termination::Unfinished);
    }
    game.end = game.end.take().map(reason::ending);
    let current = object.get("current").and_then(Value::as_str).unwrap_or_default();
    let reached = reached.to_string();
    if current == reached { Ok(()) } else { Err(MifError::Checkpoint { given: current.to_string(), reached }.into()) }
}

/// The end of a game other than by the rules: the winner, the format's word for it, the reason, and the kind of ending.
type Ended = (Option<Side>, String, String, Termination);

/// Returns an annotation of an object.
fn note<'a>(object: &'a Value, name: &str) -> Option<&'a str> {
    object.pointer(&format!("/annotations/{name}")).and_then(Value::as_str)
}

/// Returns how an event that is not a move ends a game, or `None` if the game continues.
fn ended_by(event: &Value, path: &str, kind: &str) -> Result<Option<Ended>, MifError> {
    let ended = |winner, word: &str, implied| {
        let reported = note(event, "termination").and_then(|text| text.parse().ok());
        let reason = note(event, "reason").unwrap_or_default().to_string();
        Some((winner, word.to_string(), reason, reported.unwrap_or(implied)))
    };
    Ok(match kind {
        "resign" => {
            let loser = if word(path, event, "actor", &["w", "b"])? == "w" { Side::White } else { Side::Black };
            ended(Some(loser.other()), "resignation", Termination::Resignation)
        }
        "accept-draw" => {
            word(path, event, "actor", &["w", "b"])?;
            ended(None, "agreement", Termination::Agreement)
        }
        "adjudicate" => {
            word(path, event, "actor", &["system"])?;
            let winner = match word(path, event, "result", &["w", "b", "d"])? {
                "w" => Some(Side::White),
                "b" => Some(Side::Black),
                _ => None,
            };
            let reason = event.get("reason").and_then(Value::as_str).unwrap_or_default();
            ended(winner, reason, Termination::Adjudication)
        }
        _ => {
            word(path, event, "actor", &["w", "b"])?;
            None
        }
    })
}
