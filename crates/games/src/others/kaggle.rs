//! Replays of Kaggle's game arena over OpenSpiel: JSON whose steps have an action of each player. An action below 24
//! places or removes a stone on that point, counted row by row from the top left; `24 + 24 * from + to` moves one. A
//! capture is an action of its own.

use super::by_rows;
use crate::game::{End, Game, NotationError};
use crate::record::{Outcome, Termination, VerifyError};
use millbrain_core::any::AnyBoard;
use millbrain_core::game::{LENGTH, Side};
use millbrain_core::play::PlayError;
use serde::Deserialize;

/// The game of the replays.
const GAME: &str = "nine_mens_morris";
/// The rules of OpenSpiel, except that it ends a game after 200 turns, for which there is no rule.
const HOUSE_RULES: &str = "No Mill Draw=0,Repetition Draw=false";

#[derive(Deserialize)]
struct Replay {
    #[serde(default)]
    id: serde_json::Value,
    configuration: Configuration,
    steps: Vec<Vec<Step>>,
    #[serde(default)]
    rewards: Vec<Option<f64>>,
    #[serde(default)]
    info: Info,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Configuration {
    #[serde(default)]
    open_spiel_game_name: String,
    #[serde(default)]
    initial_actions: Vec<i64>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "PascalCase")]
struct Info {
    team_names: Vec<String>,
    episode_id: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Step {
    #[serde(default)]
    action: Action,
    reward: Option<f64>,
    #[serde(default)]
    status: String,
}

#[derive(Deserialize, Default)]
struct Action {
    submission: Option<i64>,
    status: Option<String>,
}

/// Returns whether a JSON object looks like a replay.
pub(crate) fn is_replay(text: &str) -> bool {
    text.contains("\"steps\"") && text.contains("\"configuration\"")
}

/// Reads a replay.
///
/// # Errors
/// Fails for a replay of another game, an invalid action, or one that cannot be played.
pub(crate) fn read(text: &str) -> Result<Game, NotationError> {
    let fault = |text: String| NotationError::Replay(text);
    let replay: Replay = serde_json::from_str(text).map_err(|error| fault(error.to_string()))?;
    let name = replay.configuration.open_spiel_game_name.trim_end_matches("_proxy");
    if name != GAME {
        return Err(fault(format!("a game of {name:?}, expected {GAME}")));
    }
    let mut game = Game { house_rules: HOUSE_RULES.to_string(), ..Game::default() };
    let mut teams = replay.info.team_names.into_iter();
    (game.white, game.black) = (teams.next().unwrap_or_default(), teams.next().unwrap_or_default());
    game.tags.push(("Site".to_string(), "Kaggle".to_string()));
    let id = replay.info.episode_id.unwrap_or(replay.id);
    let id = id.as_str().map(str::to_string).or_else(|| id.as_u64().map(|id| id.to_string()));
    game.tags.extend(id.map(|id| ("GameId".to_string(), id)));

    let mut board = game.first()?;
    let mut waiting: Option<String> = None;
    let actions = replay.steps.iter().flat_map(|step| step.iter().filter_map(|step| step.action.submission));
    for action in replay.configuration.initial_actions.iter().copied().chain(actions).filter(|action| *action >= 0) {
        let text = text_of(action).ok_or_else(|| fault(format!("action {action}, expected 0 to 599")))?;
        let text = match waiting.take() {
            Some(step) => format!("{step}x{text}"),
            None => text,
        };
        if takes(&board, &text) {
            waiting = Some(text);
            continue;
        }
        let number = game.nodes.len() + 1;
        let played = board.push(&text).map_err(|fault| PlayError::Move { number, text, fault });
        game.add(number - 1, &played.map_err(VerifyError::from)?);
    }
    if waiting.is_some() {
        game.comment = "The last mill has taken no stone.".to_string();
    }
    game.end = end(&replay.steps, &replay.rewards);
    Ok(game)
}

/// Returns an action as a step, or as the point of a removed stone.
fn text_of(action: i64) -> Option<String> {
    let action = usize::try_from(action).ok()?;
    match action.checked_sub(24) {
        None => by_rows(action).map(str::to_string),
        Some(step) => Some(format!("{}{}", by_rows(step / 24)?, by_rows(step % 24)?)),
    }
}

/// Returns whether a step closes a mill, so that a stone is to be removed.
fn takes(board: &AnyBoard, step: &str) -> bool {
    !step.contains('x')
        && board.moves().iter().any(|mv| mv.strip_prefix(step).is_some_and(|rest| rest.starts_with('x')))
}

/// Returns how a replay has ended.
fn end(steps: &[Vec<Step>], rewards: &[Option<f64>]) -> Option<End> {
    let last = steps.last()?;
    let reward = |player: usize| {
        let own = rewards.get(player).copied().flatten();
        own.or_else(|| last.get(player).and_then(|step| step.reward))
    };
    let (white, black) = (reward(0)?, reward(1)?);
    let outcome = if white > black {
        Outcome::of(Some(Side::White))
    } else if black > white {
        Outcome::of(Some(Side::Black))
    } else {
        Outcome::Draw
    };
    let has = |status: &str| last.iter().any(|step| step.status == status);
    let is_refused = last.iter().any(|step| step.action.submission == Some(-1) && step.action.status.is_some());
    let (termination, reason) = match outcome {
        Outcome::Draw => (Termination::Adjudication, LENGTH),
        _ if has("TIMEOUT") => (Termination::Time, ""),
        _ if has("ERROR") => (Termination::Crash, ""),
        _ if has("INVALID") || is_refused => (Termination::IllegalMove, ""),
        _ => (Termination::Unknown, ""),
    };
    Some(End { outcome, termination, reason: reason.to_string() })
}
