//! Readers of text.

use super::{byte, rules};
use millbrain::analysis::batch::input::Item;
use millbrain::any::AnyGame;
use millbrain::fen::Faults;
use millbrain::game::{Game as _, Move, Notation, Placed, Searchable};
use millbrain::games::forms;
use millbrain::games::game::Game;
use millbrain::play::Play;
use millbrain::protocol::{OPTIONS, Settings, command::Command};
use millbrain::tournament::config::{
    Clock, EngineConfig, draw_adjudication, engines, resign_adjudication, sequential_test,
};
use millbrain::tournament::journal::read_journal;
use millbrain::tournament::openings::{Opening, OpeningSource};
use millbrain::tournament::record::{GameRecord, read_games};
use millbrain::variant::Variant;
use millbrain::with_game;

/// A byte for the rules, then any text as a FEN. An accepted FEN is a position that can be played, shown, evaluated and
/// written, and its FEN reads as the same position.
pub fn fen(mut data: &[u8]) {
    let rules = rules(byte(&mut data));
    let text = String::from_utf8_lossy(data);
    with_game!(rules, |game| match game.parse_fen(&text) {
        Err(faults) => assert!(!faults.0.is_empty() && !faults.to_string().is_empty()),
        Ok(placed) => check_position(game, placed),
    });
}

fn check_position<G: Searchable>(game: G, placed: Placed<G::Position>) {
    let fen = game.fen(&placed);
    let again = game.parse_fen(&fen).unwrap_or_else(|faults: Faults| panic!("{fen}: {faults}"));
    assert_eq!(again, placed, "{fen}");
    assert_eq!(game.fen(&again), fen);
    let pos = &placed.position;
    let moves = game.moves(pos);
    assert_eq!(game.count_moves(pos), moves.len() as u64, "{fen}");
    for mv in moves {
        let next = game.play(pos, mv);
        assert_eq!(game.count_moves(&next), game.moves(&next).len() as u64, "{fen} {mv:?}");
        assert_eq!(game.parse_move(&game.move_text(mv)), Some(mv), "{fen}");
    }
    assert_eq!(game.evaluate(&game.flipped(pos)), game.evaluate(pos), "{fen}");
    assert!(!game.diagram(pos).is_empty() && !game.describe(pos).is_empty());
    let play = Play::from_placed(game, placed);
    let _ = play.ending();
    assert_eq!(play.fen(), fen);
}

/// Bytes for the rules, a number of random plies, their seed and the bits of a move, then the text of a move. The texts
/// of the legal moves are played in all their forms; any other text does not change the game.
pub fn moves(mut data: &[u8]) {
    let rules = rules(byte(&mut data));
    let plies = byte(&mut data) % 64;
    let mut rng = fastrand::Rng::with_seed(byte(&mut data).into());
    let bits = u16::from_le_bytes([byte(&mut data), byte(&mut data)]);
    let text = String::from_utf8_lossy(data);
    with_game!(rules, |game| {
        let mut play = Play::new(game);
        let mut any = AnyGame::of(game);
        for _ in 0..plies {
            let Some(mv) = rng.choice(game.moves(play.position())) else { break };
            play.push(mv);
            assert_eq!(any.push(&game.move_text(mv)), Ok(game.move_text(mv)));
        }
        let legal = game.moves(play.position());
        let mv = Move::from_bits(bits.into());
        assert_eq!(game.is_legal(play.position(), mv), legal.contains(&mv), "{} {mv:?}", play.fen());
        let fen = play.fen();
        match play.find_move(&text) {
            Ok(mv) => {
                assert!(legal.contains(&mv), "{fen} {text:?}");
                assert_eq!(play.find_move(&game.move_text(mv)), Ok(mv), "{fen} {text:?}");
                assert_eq!(any.push(&text), Ok(game.move_text(mv)));
                assert_ne!(any.fen(), fen);
                play.push(mv);
                assert_eq!((any.fen(), any.occurrences()), (play.fen(), play.occurrences()));
                assert!(any.undo());
                assert_eq!(any.fen(), fen);
            }
            Err(fault) => {
                assert!(legal.iter().all(|&mv| game.move_text(mv) != text), "{fen} {text:?} {fault}");
                assert_eq!(any.push(&text), Err(fault));
                assert_eq!(any.fen(), fen);
            }
        }
    });
}

/// Lines of `setoption` without this word. A refused value changes nothing; an accepted value can be set again, and its
/// rules can be played.
pub fn options(data: &[u8]) {
    let mut settings = Settings::default();
    for line in String::from_utf8_lossy(data).lines().take(16) {
        let Ok(Command::SetOption { name, value }) = format!("setoption {line}").parse::<Command>() else { continue };
        let before = settings.clone();
        match settings.set(&name, value.as_deref()) {
            Err(error) => {
                assert!(error.to_string().contains("expected"), "{error}");
                assert_eq!(settings, before, "{line:?}");
            }
            Ok(_) => {
                let after = settings.clone();
                assert!(settings.set(&name, value.as_deref()).is_ok());
                assert_eq!(settings, after, "{line:?}");
            }
        }
    }
    assert!(OPTIONS.iter().all(|option| option.uci_line(&settings).starts_with("option name ")));
    with_game!(settings.rules, |game| {
        let play = Play::new(game);
        assert!(!game.moves(play.position()).is_empty());
        assert_eq!(game.parse_fen(&play.fen()).map(|placed| placed.position), Ok(*play.position()));
    });
}

/// The text of games in any form. Accepted games are written in every form as a text that reads as the same game;
/// verifying a game always ends.
pub fn game_record(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for game in read_games(&text).unwrap_or_default() {
        let _ = game.verify();
        let json = serde_json::to_string(&game).expect("a game is an object");
        assert_eq!(serde_json::from_str::<GameRecord>(&json).expect("its own object"), game);
    }
    let like = Game::default();
    for found in forms::games(&text, &like) {
        let Ok(reading) = found.reading else { continue };
        let like = Game { fen: None, nodes: Vec::new(), ..reading.game.clone() };
        for form in forms::Format::WRITTEN {
            let Ok(written) = forms::write(&reading.game, form) else { continue };
            if written.text.is_empty() {
                // A list without moves.
                continue;
            }
            let again =
                forms::read(&written.text, None, &like).unwrap_or_else(|error| panic!("{}: {error}", written.text));
            let [again] = &again[..] else { panic!("one game: {}", written.text) };
            let twice = forms::write(&again.game, form).map(|written| written.text);
            assert_eq!(twice, Ok(written.text), "{again:?}");
            assert!(!written.lost.is_empty() || again.game == reading.game, "{again:?}");
        }
    }
}

/// A byte that chooses: words of an engine, of adjudication and of a test, lines of openings, or a journal. Accepted
/// input is written and reads as the same.
pub fn match_config(mut data: &[u8]) {
    let choice = byte(&mut data);
    let text = String::from_utf8_lossy(data);
    let lines: Vec<String> = text.lines().map(String::from).collect();
    let reported = |error: String| assert!(!error.is_empty());
    match choice % 8 {
        0 => {
            let lists: Vec<_> =
                lines.iter().map(|line| line.split_whitespace().map(String::from).collect::<Vec<_>>()).collect();
            if let Some((each, rest)) = lists.split_first() {
                match engines(rest, each) {
                    Ok(engines) => {
                        let json = serde_json::to_string(&engines).expect("engines are a list");
                        assert_eq!(serde_json::from_str::<Vec<EngineConfig>>(&json).expect("its own list"), engines);
                    }
                    Err(error) => reported(error.to_string()),
                }
            }
        }
        1 => drop(draw_adjudication(&lines).map_err(|error| reported(error.to_string()))),
        2 => drop(resign_adjudication(&lines).map_err(|error| reported(error.to_string()))),
        3 => drop(sequential_test(&lines).map_err(|error| reported(error.to_string()))),
        4 => drop(OpeningSource::parse(&lines).map_err(|error| reported(error.to_string()))),
        5 => match text.parse::<Clock>() {
            Ok(clock) => {
                let written = clock.to_string();
                assert_eq!(written.parse::<Clock>().map(|clock| clock.to_string()), Ok(written), "{text:?}");
            }
            Err(error) => reported(error.to_string()),
        },
        6 => {
            for line in &lines {
                let variant = Variant::ALL[line.len() % Variant::ALL.len()];
                drop(
                    Opening::read(line, &AnyGame::new(variant.rules()), usize::MAX)
                        .map_err(|error| reported(error.to_string())),
                );
            }
        }
        _ => match read_journal(&lines) {
            Ok((config, games)) => {
                let game = games.iter().map(|game| serde_json::to_string(game).expect("a game is an object"));
                let config_line = serde_json::to_string(&config).expect("settings are an object");
                let written: Vec<String> = std::iter::once(config_line).chain(game).collect();
                assert_eq!(read_journal(&written).ok(), Some((config, games)));
            }
            Err(error) => reported(error.to_string()),
        },
    }
}

/// A line of positions to analyse. An accepted line can be set up, or gives a reason.
pub fn batch(mut data: &[u8]) {
    let variant = Variant::ALL[usize::from(byte(&mut data)) % Variant::ALL.len()];
    match Item::parse(&String::from_utf8_lossy(data), variant.into()) {
        Ok(item) => with_game!(item.rules.rules, |game| {
            let moves = item.moves.iter().map(String::as_str);
            match Play::set_up(game, item.fen.as_deref(), moves) {
                Ok(play) => assert!(game.parse_fen(&play.fen()).is_ok()),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
