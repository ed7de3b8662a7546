//! Reads games that people bring along, in whichever form they are.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

use crate::forms::{self, Format, format_of};
use crate::game::{End, Game, Node, NotationError, unless_start, unnamed};
use crate::house_rules;
use crate::record::{
    MoveRecord, Outcome, Parts, RecordError, RecordFault, Termination, VerifyError, Word, parts, words,
};
use crate::score::Score;
use millbrain_core::variant::{NamedRules, Variant};

/// Reads the games of a text, and plays their moves; a bare list of moves is played by the rules of `like`.
///
/// Of records only the variant is demanded, unlike in [`crate::record::read_games`]: others leave tags out, and comment
/// on moves in words of their own.
///
/// # Errors
/// The first fault; a text without games, or a list without moves.
pub fn import(text: &str, like: &Game) -> Result<(Format, Vec<Game>), NotationError> {
    let format = format_of(text);
    let games = match format {
        Format::Record => records(text.trim_start_matches('\u{feff}'))?,
        Format::Sgf | Format::Mif => forms::read(text, format, like)?,
        Format::Sanmill => {
            let games = forms::read(text, format, like)?;
            games.into_iter().filter(|game| !game.nodes.is_empty()).collect()
        }
    };
    if games.is_empty() { Err(NotationError::NoMoves) } else { Ok((format, games)) }
}

fn records(text: &str) -> Result<Vec<Game>, NotationError> {
    let mut all: Vec<Parts<'_>> = Vec::new();
    for parts in parts(text)? {
        match all.last_mut() {
            // An empty line between moves ends no game.
            Some(last) if parts.is_bare() => last.body.push_str(&parts.body),
            _ => all.push(parts),
        }
    }
    all.iter().map(game).collect()
}

fn game(parts: &Parts<'_>) -> Result<Game, NotationError> {
    let tag = |name: &str| parts.tag(name).map(str::to_string);
    let name = |name: &str| tag(name).map(unnamed).unwrap_or_default();
    let control = |name: &str| tag(name).unwrap_or_else(|| "-".to_string());
    let variant: Variant = name("Variant").parse().map_err(VerifyError::from)?;
    let mut game = Game {
        variant: variant.to_string(),
        house_rules: name("HouseRules"),
        white: name("White"),
        black: name("Black"),
        nodes: moves(&parts.body).map_err(|source| RecordError { line: parts.line, source })?,
        end: end(parts),
        thinking: [control("WhiteTimeControl"), control("BlackTimeControl")],
        ..Game::default()
    };
    let rules = game.rules()?;
    game.house_rules = house_rules::text(&NamedRules { variant, rules });
    game.fen = tag("FEN").filter(|fen| !fen.is_empty()).and_then(|fen| unless_start(fen, rules));
    game.check()?;
    Ok(game)
}

/// The moves of a body, with what their comments tell.
fn moves(body: &str) -> Result<Vec<Node>, RecordFault> {
    let mut nodes: Vec<Node> = Vec::new();
    for word in words(body) {
        match word? {
            Word::Comment(comment) => {
                if let Some(last) = nodes.last_mut() {
                    annotate(last, comment);
                }
            }
            Word::Plain(text) if text.parse::<Outcome>().is_ok() => {}
            Word::Plain(text) => {
                let played = MoveRecord { text: text.to_string(), ..MoveRecord::default() };
                nodes.push(Node { parent: nodes.len(), played, comment: String::new() });
            }
        }
    }
    Ok(nodes)
}

/// Takes `SCORE/DEPTH`, the time and the lateness out of a comment; other words are kept as they are.
fn annotate(node: &mut Node, comment: &str) {
    let mut rest: Vec<&str> = Vec::new();
    let mut words = comment.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let time = word.strip_suffix("ms").and_then(|time| time.parse().ok());
        let said = word.split_once('/').filter(|(score, _)| score.parse::<Score>().is_ok());
        let depth = said.and_then(|(_, depth)| depth.parse().ok());
        if time.is_some() {
            let is_late = words.next_if_eq(&"late").is_some();
            *(if is_late { &mut node.played.late } else { &mut node.played.time }) = time;
        } else if let Some(((score, _), depth)) = said.zip(depth) {
            (node.played.score, node.played.depth) = (Some(score.to_string()), Some(depth));
        } else if word != "book" {
            rest.push(word);
        }
    }
    node.comment.push_str(&rest.join(" "));
}

/// The ending that the tags tell; a kind of ending that is not known is taken for an agreement.
fn end(parts: &Parts<'_>) -> Option<End> {
    let outcome: Outcome = parts.tag("Result")?.parse().ok()?;
    let reason = parts.tag("Reason").unwrap_or_default().to_string();
    let told = parts.tag("Termination").and_then(|text| text.parse().ok());
    match (outcome, told) {
        (Outcome::Open, None | Some(Termination::Unfinished)) => None,
        (_, told) => Some(End { outcome, termination: told.unwrap_or(Termination::Adjudication), reason }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Game> {
        import(text, &Game::default()).expect(text).1
    }

    #[test]
    fn records_of_others_leave_much_out() {
        let text = "\u{feff}\r\n[Variant \"morabaraba\"]  \r\n[White \"a \\\"b\\\"\"]\r\n[Result \"1/2-1/2\"]\r\n\
            [Termination \"rain\"]\r\n[Reason \"agreed\"]\r\n\r\n1. D6 {+0.35/12 1250ms} f4 {-M12/3 70ms late}\r\n\r\n\
            2. d2 {what/9 5ms} b4 {a  word} 1/2-1/2 *\r\n\r\n\r\n[Variant \"smess\"]\n\n1. a2a3 {+1.00 4ms} {ignored}\n";
        let [first, second] = read(text).try_into().expect("two games");
        assert_eq!((first.white.as_str(), first.black.as_str(), &first.fen), ("a \"b\"", "", &None));
        let end = End { outcome: Outcome::Draw, termination: Termination::Adjudication, reason: "agreed".to_string() };
        assert_eq!((first.end, second.end, second.variant.as_str()), (Some(end), None, "smess"));
        let told: Vec<_> = first.nodes.iter().chain(&second.nodes).map(|node| (&node.played, &*node.comment)).collect();
        let played = |text: &str, said: Option<(&str, u32)>, time, late| MoveRecord {
            text: text.to_string(),
            score: said.map(|(score, _)| score.to_string()),
            depth: said.map(|(_, depth)| depth),
            time,
            late,
        };
        let expected = [
            (&played("d6", Some(("+0.35", 12)), Some(1250), None), ""),
            (&played("f4", Some(("-M12", 3)), None, Some(70)), ""),
            (&played("d2", None, Some(5), None), "what/9"),
            (&played("b4", None, None, None), "a word"),
            (&played("a2a3", None, Some(4), None), "+1.00ignored"),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn what_is_no_game_is_told() {
        for (text, told) in [
            ("", "the text holds no moves"),
            ("[Event \"x\"]", "the text holds no moves"),
            ("[White \"a\"]\n[Variant \"chess\"]\n\nd6", "unknown variant"),
            ("[Variant \"morris\"]\n[HouseRules \"Stones=0\"]\n\nd6", "house rules"),
            ("[Variant \"morris\"] x\n\nd6", "line 1: "),
            ("[Variant \"morris\"]\n\nd6 {", "line 1: a comment without an end"),
            ("[Variant \"morris\"]\n\nd6 h9", "move 2 (h9) cannot be read"),
            ("[Variant \"morris\"]\n\nd6 d6", "move 2 (d6) is illegal"),
            ("[Variant \"morris\"]\n[FEN \"x\"]\n\nd6", "bad FEN"),
        ] {
            let error = import(text, &Game::default()).expect_err(text).to_string();
            assert!(error.starts_with(told), "{error}");
        }
    }

    #[test]
    fn a_result_is_an_end() {
        let end = |result: &str, reason: &str| {
            let text = format!("[Variant \"morris\"]\n[Result \"{result}\"]\n[Reason \"{reason}\"]\n\nd6");
            read(&text).remove(0).end.map(|end| end.outcome)
        };
        assert_eq!(end("*", "no legal move"), None);
        assert_eq!(end("1/2-1/2", "unfinished"), Some(Outcome::Draw));
        assert_eq!(end("0-1", ""), Some(Outcome::BlackWins));
    }
}
