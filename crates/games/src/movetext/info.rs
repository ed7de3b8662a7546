//! The data of engines and clocks within the comment of a move.

use crate::game::Node;
use crate::score::Score;
use millbrain_core::game::Side;

/// The notation of scores and times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    /// The style of records: `+0.35/12 96ms`, the score from the side that moves.
    Record,
    /// The style of the portable game notation: `[%eval 0.35,12] [%emt 0:00:00.096]`, the score from White's side.
    Pgn,
}

/// Formats a time as `H:MM:SS`, with milliseconds if there are any.
fn clock(milliseconds: u64) -> String {
    let (seconds, rest) = (milliseconds / 1_000, milliseconds % 1_000);
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    let part = if rest > 0 { format!(".{rest:03}") } else { String::new() };
    format!("{hours}:{minutes:02}:{seconds:02}{part}")
}

/// Parses the milliseconds of a time such as `0:09:58.5`; minutes and hours may be missing.
fn milliseconds(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let is_part = part.len() <= 9 && part.bytes().all(|byte| byte.is_ascii_digit());
    let number = |text: &str| text.parse::<u64>().ok().filter(|number| is_part && *number < 1_000_000);
    let seconds = whole.split(':').try_fold(0, |sum: u64, text| Some(sum.checked_mul(60)? + number(text)?))?;
    Some(seconds.checked_mul(1_000)? + format!("{part:0<3}").get(..3)?.parse::<u64>().ok()?)
}

/// Formats the score for the notation: pawns from White's side, `#` and moves to a mate.
fn eval(score: Score, side: Side) -> String {
    let signed = |value: i32| if side == Side::Black { -value } else { value };
    match score {
        Score::Cp(score) => Score::Cp(signed(score)).to_string().trim_start_matches('+').to_string(),
        Score::Mate(moves) => format!("#{}", signed(moves)),
    }
}

fn read_eval(text: &str, side: Side) -> Option<Score> {
    let score = match text.strip_prefix('#') {
        Some(moves) => Score::Mate(moves.parse::<i16>().ok()?.into()),
        None => text.parse().ok()?,
    };
    Some(match score {
        Score::Cp(score) if side == Side::Black => Score::Cp(-score),
        Score::Mate(moves) if side == Side::Black => Score::Mate(-moves),
        score => score,
    })
}

/// Writes the data in the comment of a move beside its own words; empty for none.
pub(crate) fn write(node: &Node, side: Side, style: Style, is_opening: bool) -> String {
    let played = &node.played;
    let score = played.score.as_ref().and_then(|score| score.parse::<Score>().ok());
    let mut words = Vec::new();
    match style {
        Style::Record => {
            let depth = played.depth.map(|depth| format!("/{depth}"));
            if score.is_some() || depth.is_some() {
                let score = score.map(|score| score.to_string()).unwrap_or_default();
                words.push(format!("{score}{}", depth.unwrap_or_default()));
            }
            words.extend(played.time.map(|time| format!("{time}ms")));
            words.extend(played.late.map(|late| format!("{late}ms late")));
            if words.is_empty() && is_opening {
                words.push("book".to_string());
            }
        }
        Style::Pgn => {
            let depth = played.depth.map(|depth| format!(",{depth}"));
            if score.is_some() || depth.is_some() {
                let score = score.map(|score| eval(score, side)).unwrap_or_default();
                words.push(format!("[%eval {score}{}]", depth.unwrap_or_default()));
            }
            words.extend(played.time.map(|time| format!("[%emt {}]", clock(time))));
            words.extend(played.late.map(|late| format!("[%late {}]", clock(late))));
        }
    }
    words.extend(node.clock.map(|left| format!("[%clk {}]", clock(left))));
    words.join(" ")
}

/// Applies a command such as `[%clk 0:10:00]` to a move; returns `false` for an unknown one.
fn command(node: &mut Node, text: &str, side: Side) -> bool {
    let (name, value) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let value = value.trim();
    let set = |place: &mut Option<u64>| {
        *place = milliseconds(value);
        place.is_some()
    };
    match name {
        "clk" => set(&mut node.clock),
        "emt" => set(&mut node.played.time),
        "late" => set(&mut node.played.late),
        "eval" => {
            let (score, depth) = value.split_once(',').map_or((value, None), |(score, depth)| (score, Some(depth)));
            let depth = depth.map(|depth| depth.parse::<u32>().ok());
            let read = read_eval(score, side);
            let fits = (read.is_some() || score.is_empty()) && depth != Some(None);
            if fits {
                node.played.score = read.map(|score| score.to_string());
                node.played.depth = depth.flatten();
            }
            fits
        }
        _ => false,
    }
}

/// Applies words of records to a move; returns `false` if any word is another.
fn words(node: &mut Node, text: &str) -> bool {
    let mut played = node.played.clone();
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let (score, depth) = word.split_once('/').map_or((word, None), |(score, depth)| (score, Some(depth)));
        let depth = depth.map(|depth| depth.parse::<u32>().ok());
        if let Some(time) = word.strip_suffix("ms").and_then(|time| time.parse().ok()) {
            let is_late = words.next_if_eq(&"late").is_some();
            *(if is_late { &mut played.late } else { &mut played.time }) = Some(time);
        } else if (depth.is_some() && score.is_empty() || is_score(score)) && depth != Some(None) {
            played.score = Some(score.to_string()).filter(|score| !score.is_empty());
            played.depth = depth.flatten();
        } else if word != "book" {
            return false;
        }
    }
    node.played = played;
    true
}

/// Returns whether a word is a score with its sign; a bare number may be anything.
fn is_score(word: &str) -> bool {
    word.starts_with(['+', '-']) && word.parse::<Score>().is_ok()
}

/// Applies the data in a comment to a move; returns the rest of the comment.
pub(crate) fn take(node: &mut Node, text: &str, side: Side) -> String {
    let mut rest = String::new();
    let mut tail = text;
    while let Some((before, after)) = tail.split_once("[%") {
        rest.push_str(before);
        match after.split_once(']') {
            Some((inner, next)) if command(node, inner, side) => tail = next.trim_start(),
            _ => {
                rest.push_str("[%");
                tail = after;
            }
        }
    }
    rest.push_str(tail);
    if words(node, &rest) { String::new() } else { rest.trim().to_string() }
}

/// Returns whether a human comment would be parsed as data.
pub(super) fn is_taken(text: &str) -> bool {
    let mut node = Node::default();
    take(&mut node, text, Side::White) != text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::MoveRecord;

    #[test]
    fn times_are_read_as_they_are_written() {
        for (time, text) in [(0, "0:00:00"), (96, "0:00:00.096"), (5_400_000, "1:30:00"), (598_500, "0:09:58.500")] {
            assert_eq!((clock(time).as_str(), milliseconds(text)), (text, Some(time)));
        }
        assert_eq!(["9:58.5", "7", "0:0:1.2509"].map(milliseconds), [Some(598_500), Some(7_000), Some(1_250)]);
        assert_eq!(["", "a", "1:", "-1", "1.x", "1.-5", "99999999:0:0"].map(milliseconds), [None; 7]);
    }

    fn taken(text: &str, side: Side) -> (MoveRecord, Option<u64>, String) {
        let mut node = Node::default();
        let rest = take(&mut node, text, side);
        (node.played, node.clock, rest)
    }

    #[test]
    fn whole_comments_of_engines_are_data_and_others_are_words() {
        let said = |score: &str, depth: u32, time| MoveRecord {
            score: Some(score.to_string()),
            depth: Some(depth),
            time,
            ..MoveRecord::default()
        };
        let white = |text| taken(text, Side::White);
        assert_eq!(white("+0.35/12 96ms"), (said("+0.35", 12, Some(96)), None, String::new()));
        assert_eq!(
            white("[%eval -0.35,12] [%clk 0:01:00] good"),
            (said("-0.35", 12, None), Some(60_000), "good".into())
        );
        assert_eq!(taken("[%eval -0.35,12]", Side::Black).0, said("+0.35", 12, None));
        assert_eq!(taken("[%eval #-4,9]", Side::Black).0, said("+M4", 9, None));
        let late = MoveRecord { late: Some(3), ..said("-M4", 9, Some(12)) };
        assert_eq!(white("-M4/9 12ms 3ms late").0, late);
        for text in ["took 5ms", "what/9 5ms", "12", "a/b", "+1.00 and more", "[%cal Gd6f4]", "[%clk x]", "0.35/9"] {
            assert_eq!(white(text), (MoveRecord::default(), None, text.to_string()), "{text}");
            assert!(!is_taken(text), "{text}");
        }
        for text in ["book", "5ms", "late [%clk 1:00]", "+1.00", "", "/9"] {
            assert_eq!(is_taken(text), !text.is_empty(), "{text}");
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let mut rng = fastrand::Rng::with_seed(5);
        for _ in 0..500 {
            let mut some = |most: u64| rng.bool().then(|| rng.u64(..most));
            let score = some(3).map(|kind| match kind {
                0 => Score::Mate(rng.i32(-40..40)),
                _ => Score::Cp(rng.i32(-900..900)),
            });
            let mut some = |most: u64| rng.bool().then(|| rng.u64(..most));
            let played = MoveRecord {
                text: "d6".to_string(),
                score: score.map(|score| score.to_string()),
                depth: some(60).map(|depth| depth as u32),
                time: some(10_000_000),
                late: some(5_000),
            };
            let node = Node { played, clock: some(10_000_000), ..Node::default() };
            for (style, side) in [Style::Record, Style::Pgn].into_iter().zip([Side::White, Side::Black]) {
                let text = write(&node, side, style, true);
                let mut read =
                    Node { played: MoveRecord { text: "d6".to_string(), ..MoveRecord::default() }, ..Node::default() };
                assert_eq!((take(&mut read, &text, side), &read), (String::new(), &node), "{text}");
            }
        }
    }
}
