//! Rule sets in MIF, `MRS/1.0`: every fact of the game is a member, and positions and games refer to them by the digest
//! of the facts.

use super::json::digest;
use super::{MifError, members};
use millbrain_core::game::fen::shorten;
use millbrain_core::morris::{Removal, Removals, Rules};
use millbrain_core::options::OptionFault;
use millbrain_core::variant::{NamedRules, Ruleset, Variant};
use serde_json::{Map, Value, json};

const PLAIN: &str = "mill24-orthogonal-v1";
const DIAGONALS: &str = "mill24-diagonal-v1";
const ONCE_PER_LINE: &str = "once-per-player";

/// Events that may reset counters.
const EVENTS: &[&str] = &["board-remove", "hand-remove", "mill-formation", "place"];

/// The members that are facts of the game.
const FACTS: [&str; 12] = [
    "boardFull",
    "captures",
    "draw",
    "flying",
    "mills",
    "pieces",
    "placing",
    "semanticState",
    "semanticsProfile",
    "stalemate",
    "topology",
    "turn",
];

/// Returns rules by the name in the title of a manifest, if it is one of ours, or otherwise by the nearest.
pub(super) fn named(rules: Rules, title: Option<&str>) -> NamedRules {
    let rules = Ruleset::Morris(rules);
    let own = Variant::ALL.into_iter().map(|variant| NamedRules { variant, rules });
    let titled = own.into_iter().find(|named| Some(named.to_string().as_str()) == title);
    titled.unwrap_or_else(|| NamedRules::nearest(rules))
}

/// Returns the manifest of these rules.
///
/// # Errors
/// Fails for rules that MIF cannot express.
pub(super) fn manifest(named: &NamedRules) -> Result<Value, MifError> {
    let Ruleset::Morris(rules) = named.rules else { return Err(MifError::Rules("Smess")) };
    // All fields are named, so that a new option cannot be forgotten.
    let Rules {
        stones,
        flying,
        removal,
        removals,
        diagonals,
        slides_while_placing,
        no_mill_draw,
        repetition_draw,
        once_per_line,
    } = rules;
    if removal == Removal::Never {
        return Err(MifError::Rules("Removal=never"));
    }
    // In MIF a game ends with the first stone that is one too many, here with the last one of the move.
    if removals == Removals::EachMill {
        return Err(MifError::Rules("Removals=each mill"));
    }
    let name = if named.list().is_empty() { named.variant.name() } else { "house-rules" };
    let off = json!({
        "enabled": false,
        "lines": {"cross": false, "diagonal": false, "squareEdges": false},
        "maximumOwnLivePieces": null,
        "phases": ["moving", "placing"],
    });
    Ok(json!({
        "format": "MRS/1.0",
        "id": format!("x-millbrain-{name}"),
        "version": 1,
        "title": named.to_string(),
        "status": "experimental",
        "semanticsProfile": "mif-finite-rules-v3",
        "topology": if diagonals { DIAGONALS } else { PLAIN },
        "pieces": {"white": stones, "black": stones, "minimumLive": 3},
        "turn": {"initial": "w", "placingEndActivePlayer": "retain"},
        "flying": {"enabled": flying, "maximumLive": 3},
        "placing": {
            "movementAllowed": slides_while_placing,
            "earlyStop": {"emptyPoints": 0, "boundary": "after-unobligated-place-v1"},
            "noLegalPrimaryAction": "draw",
        },
        "mills": {
            "placingEffect": "remove-opponent-board",
            "movingEffect": "remove-opponent-board",
            "removalMultiplicity": "one-per-primary",
            "targetProtection": "outside-mill-first",
            "lineReuse": if once_per_line { ONCE_PER_LINE } else { "unlimited" },
            "reverseReformation": "allowed",
            "delayedClearBoundary": "on-enter-moving-v1",
        },
        "captures": {
            "resolution": "target-commits-v1",
            "custodian": &off,
            "intervention": &off,
            "leap": &off,
        },
        "boardFull": {"action": "draw"},
        "stalemate": {"action": "loss", "boardRemovalTargets": "adjacent-opponent"},
        "draw": {
            "noProgress": {
                "normalLimit": no_mill_draw,
                "endgameLimit": 0,
                "endgamePredicate": "none",
                "mode": "automatic",
                "countedPrimaryActions": ["move"],
                "resetEvents": ["mill-formation", "place"],
                "evaluationBoundary": "stable-after-primary-sequence-v1",
            },
            "repetition": {
                "count": if repetition_draw { 3 } else { 0 },
                "mode": "automatic",
                "observation": "stable-primary-decision-v1",
                "projection": "repetition-observation-v1",
                "summary": "reset-count-smt-v1",
                "resetEvents": ["board-remove", "place"],
            },
            "offers": {"expiry": "explicit-only"},
            "claimRights": {"profile": "stable-claim-rights-v1"},
        },
        "semanticState": if once_per_line { vec!["used-lines"] } else { Vec::new() },
    }))
}

/// Returns the rules of a manifest.
///
/// # Errors
/// Fails with the first fact that is not one of our rules. Facts that do not matter in any game from the start are
/// accepted.
pub(super) fn rules(manifest: &Value) -> Result<Rules, MifError> {
    let at = |path: &str| manifest.pointer(path).unwrap_or(&Value::Null);
    let mut rules = Variant::Morris.rules();
    let number = |rules: &mut Ruleset, path: &str, option| {
        rules.set(option, &at(path).to_string()).map_err(|fault| {
            let expected = match fault {
                OptionFault::Value { expected, .. } => expected.to_string(),
                other => other.to_string(),
            };
            MifError::member(path, manifest.pointer(path), &expected)
        })
    };
    number(&mut rules, "/pieces/white", "Stones")?;
    number(&mut rules, "/draw/noProgress/normalLimit", "No Mill Draw")?;
    let Ruleset::Morris(rules) = rules else { return Err(MifError::Rules("Smess")) };
    let rules = Rules {
        flying: *at("/flying/enabled") == true,
        diagonals: *at("/topology") == DIAGONALS,
        slides_while_placing: *at("/placing/movementAllowed") == true,
        repetition_draw: *at("/draw/repetition/count") != 0,
        once_per_line: *at("/mills/lineReuse") == ONCE_PER_LINE,
        ..rules
    };
    let mut ours = self::manifest(&named(rules, None))?;
    let by_stones = "either-player-live-equals-3";
    if *at("/draw/noProgress/endgamePredicate") == by_stones
        && let Some(draw) = ours.pointer_mut("/draw/noProgress").and_then(Value::as_object_mut)
    {
        // The same number of plies, whether or not a side has three stones left.
        draw.insert("endgamePredicate".to_string(), by_stones.into());
        draw.insert("endgameLimit".to_string(), rules.no_mill_draw.into());
    }
    let counted = json!(["move", "place"]);
    let resets = at("/draw/noProgress/resetEvents").as_array();
    if *at("/draw/noProgress/countedPrimaryActions") == counted
        && resets.is_some_and(|resets| resets.iter().any(|event| event == "place"))
        && let Some(own) = ours.pointer_mut("/draw/noProgress/countedPrimaryActions")
    {
        // A ply is counted before it resets the counter.
        *own = counted;
    }
    compare("", manifest, &ours, &rules)?;
    if *at("/placing/noLegalPrimaryAction") == "apply-board-full" && *at("/boardFull/action") == "disabled" {
        let path = "/placing/noLegalPrimaryAction";
        return Err(MifError::member(path, manifest.pointer(path), "draw or loss where a full board has no effect"));
    }
    Ok(rules)
}

/// Checks that all that is found is ours, or makes no difference to a game.
fn compare(path: &str, found: &Value, ours: &Value, rules: &Rules) -> Result<(), MifError> {
    let (Some(parts), Some(expected)) = (found.as_object(), ours.as_object()) else {
        let fits = found == ours || makes_no_difference(path, found, rules);
        return if fits { Ok(()) } else { Err(MifError::member(path, Some(found), &ours.to_string())) };
    };
    let optional: &[&str] = if path.is_empty() { &["annotations", "description"] } else { &[] };
    for (name, part) in expected {
        let path = format!("{path}/{name}");
        let Some(found) = parts.get(name) else { return Err(MifError::member(&path, None, &part.to_string())) };
        compare(&path, found, part, rules)?;
    }
    let required: Vec<&str> = expected.keys().map(String::as_str).collect();
    members(path, found, &required, optional)
}

/// Returns whether a member may have another value than ours. It may if it is not a fact of the game, or belongs to a
/// rule that is switched off. It also may if no game from the start reaches a position where it matters.
fn makes_no_difference(path: &str, found: &Value, rules: &Rules) -> bool {
    let word = |words: &[&str]| found.as_str().is_some_and(|word| words.contains(&word));
    let items: Option<Vec<&str>> = found.as_array().and_then(|items| items.iter().map(Value::as_str).collect());
    let set = |words: &[&str]| {
        let is_sorted = |items: &Vec<&str>| items.windows(2).all(|pair| pair.first() < pair.last());
        items.as_ref().is_some_and(|items| is_sorted(items) && items.iter().all(|item| words.contains(item)))
    };
    let has = |word: &str| items.as_ref().is_some_and(|items| items.contains(&word));
    let positive = || found.as_u64().is_some_and(|number| number > 0);
    match path {
        "/id" => found.as_str().is_some_and(is_identifier),
        "/version" => positive(),
        "/title" => found.is_string(),
        "/status" => word(&["deprecated", "experimental", "fixture", "registered"]),
        // Only twelve stones of both sides fill the board.
        "/boardFull/action" => {
            let removals = ["active-player-removes", "black-then-white-remove", "white-then-black-remove"];
            rules.stones < 12 && (word(&["disabled", "draw", "white-loses"]) || word(&removals))
        }
        // A side with a stone in hand has a free point for it.
        "/placing/noLegalPrimaryAction" => word(&["apply-board-full", "draw", "loss"]),
        // Black places the last stone, unless stones slide during placing.
        "/turn/placingEndActivePlayer" => !rules.slides_while_placing && word(&["w"]),
        "/flying/maximumLive" => !rules.flying && positive(),
        "/draw/offers/expiry" => word(&["explicit-only", "on-opponent-primary-action"]),
        "/draw/noProgress/mode" => rules.no_mill_draw == 0 && word(&["automatic", "claim"]),
        "/draw/noProgress/countedPrimaryActions" => rules.no_mill_draw == 0 && set(&["move", "place"]),
        "/draw/noProgress/resetEvents" => {
            // Every mill takes a stone.
            let ours = (has("board-remove") || has("mill-formation")) && (has("place") || !rules.slides_while_placing);
            set(EVENTS) && (ours || rules.no_mill_draw == 0)
        }
        "/draw/repetition/mode" => !rules.repetition_draw && word(&["automatic", "claim"]),
        // While stones are only placed no position repeats.
        "/draw/repetition/observation" => {
            word(&["stable-moving-v1", "stable-primary-decision-v1"])
                && !(rules.repetition_draw && rules.slides_while_placing)
        }
        // After none of these events an earlier position can repeat.
        "/draw/repetition/resetEvents" => set(EVENTS),
        _ => match path.strip_prefix("/captures/").and_then(|rest| rest.split_once('/')) {
            Some((_, "phases")) => set(&["moving", "placing"]),
            Some((_, "maximumOwnLivePieces")) => found.is_null() || positive(),
            Some((_, "lines/cross" | "lines/diagonal" | "lines/squareEdges")) => found.is_boolean(),
            _ => false,
        },
    }
}

fn is_identifier(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    (1..=63).contains(&text.len())
        && text.starts_with(is_plain)
        && text.chars().all(|c| is_plain(c) || matches!(c, '.' | '-'))
}

/// Returns the digest of the facts of a manifest, whatever its title.
pub(super) fn semantic_digest(manifest: &Value) -> Result<String, MifError> {
    let facts = FACTS.into_iter().filter_map(|name| Some((name.to_string(), manifest.get(name)?.clone())));
    let mut facts: Map<String, Value> = facts.collect();
    facts.insert("profile".to_string(), "mrs-semantic-v1".into());
    let mut facts = Value::Object(facts);
    let mut fold = |path: &str, is_off: bool, folded: Value| {
        if let (true, Some(part)) = (is_off, facts.pointer_mut(path)) {
            *part = folded;
        }
    };
    let at = |path: &str| manifest.pointer(path).unwrap_or(&Value::Null);
    let off = || json!({"enabled": false});
    for part in ["/flying", "/captures/custodian", "/captures/intervention", "/captures/leap"] {
        fold(part, *at(&format!("{part}/enabled")) == false, off());
    }
    let early = "/placing/earlyStop";
    fold(early, *at("/placing/earlyStop/emptyPoints") == 0, json!({"emptyPoints": 0}));
    let limits = [at("/draw/noProgress/normalLimit"), at("/draw/noProgress/endgameLimit")];
    fold("/draw/noProgress", limits.into_iter().all(|limit| *limit == 0), off());
    fold("/draw/repetition", *at("/draw/repetition/count") == 0, json!({"count": 0}));
    digest(&facts)
}

/// Returns the rules as a position or a game contains them, with their manifest.
pub(super) fn envelope(named: &NamedRules) -> Result<Value, MifError> {
    let manifest = manifest(named)?;
    Ok(json!({
        "mode": "portable",
        "id": manifest.get("id"),
        "version": manifest.get("version"),
        "semanticDigest": semantic_digest(&manifest)?,
        "documentDigest": digest(&manifest)?,
        "manifest": manifest,
    }))
}

/// Returns the rules that a position or a game contains, or refers to: then they must be `like`, or those of a variant.
pub(super) fn resolve(envelope: &Value, like: Ruleset) -> Result<Rules, MifError> {
    let path = "/ruleset";
    let get = |name: &str| envelope.get(name);
    let common = ["mode", "id", "version", "semanticDigest"];
    match get("mode").and_then(Value::as_str) {
        Some("portable") => {
            members(path, envelope, &[&common[..], &["documentDigest", "manifest"]].concat(), &[])?;
            let manifest = get("manifest").unwrap_or(&Value::Null);
            let rules = rules(manifest)?;
            let is = |name: &str, expected: &Value| match get(name) {
                found if found == Some(expected) => Ok(()),
                found => Err(MifError::member(&format!("{path}/{name}"), found, &expected.to_string())),
            };
            for name in ["id", "version"] {
                is(name, manifest.get(name).unwrap_or(&Value::Null))?;
            }
            is("semanticDigest", &semantic_digest(manifest)?.into())?;
            is("documentDigest", &digest(manifest)?.into())?;
            Ok(rules)
        }
        Some("reference") => {
            members(path, envelope, &common, &["documentDigest"])?;
            let known = [like].into_iter().chain(Variant::ALL.into_iter().map(Variant::rules));
            for rules in known {
                let Ruleset::Morris(rules) = rules else { continue };
                // Some have no manifest.
                let Ok(manifest) = manifest(&named(rules, None)) else { continue };
                if get("semanticDigest") == Some(&semantic_digest(&manifest)?.into()) {
                    return Ok(rules);
                }
            }
            Err(MifError::Unresolved(shorten(get("id").and_then(Value::as_str).unwrap_or_default())))
        }
        _ => Err(MifError::member("/ruleset/mode", get("mode"), "portable or reference")),
    }
}
