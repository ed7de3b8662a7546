//! Rules, notation and search of Nine Men's Morris (six rule sets) and Smess.
//!
//! A rule set is a value, a position is a small `Copy` value, and a move is made by computing the next position:
//!
//! ```
//! use millbrain_core::game::{Game, Notation};
//! use millbrain_core::morris::{FLYING, Morris, rules};
//!
//! let morris = Morris::<FLYING>::new(rules::MORRIS);
//! let start = morris.start();
//! assert_eq!(morris.count_moves(&start), 24);
//!
//! let place = morris.parse_move("d6").expect("a move");
//! let next = morris.play(&start, place);
//! assert_eq!(morris.count_moves(&next), 23);
//! ```
//!
//! When the variant is known only at run time, [`with_game!`] picks the compiled instance of its rules. A
//! [`play::Play`] adds the history that the draw rules need:
//!
//! ```
//! use millbrain_core::play::Play;
//! use millbrain_core::variant::Variant;
//! use millbrain_core::with_game;
//!
//! let variant: Variant = "smess".parse().expect("one of the seven");
//! let fen = with_game!(variant.rules(), |game| {
//!     let play = Play::set_up(game, None, ["f2g1", "e7e6"]).expect("legal moves");
//!     play.fen()
//! });
//! assert_eq!(fen, "1ssbss1/nnnn1nn/4n2/7/7/7/NNNNN1N/1SSBSSN w 2 2");
//! ```
//!
//! [`search::search`] finds the best move. It takes a hash table, limits, and a [`search::Control`] to stop it with:
//!
//! ```
//! use millbrain_core::play::Play;
//! use millbrain_core::search::{Control, Limits, Request, HashTable, score, search};
//! use millbrain_core::variant::Variant;
//! use millbrain_core::with_game;
//! use std::sync::Arc;
//!
//! let hash = Arc::new(HashTable::new(1).expect("1 MiB"));
//! let limits = Limits { depth: Some(6), ..Limits::default() };
//! let control = Arc::new(Control::new(false));
//! let request = Request::plain(&limits, &hash, &control);
//! // White closes a mill and leaves Black with two stones.
//! let found = with_game!(Variant::Morris.rules(), |game| {
//!     let play = Play::set_up(game, Some("OO1/3/3/O1X3/1XX/3/3 w 0 0"), []).expect("a valid FEN");
//!     search(&play, None, &request, &mut |_| {})
//! });
//! assert_eq!(score::mate_moves(found.score), Some(1));
//! ```
//!
//! [`any::AnyGame`] is one object for a game of any family, with moves and positions as text: the shortest way to a
//! program that plays, analyses or checks games.
//!
//! [`game`] has the traits between rules and search, [`morris`] and [`smess`] are the rules, and [`search`] works for
//! either of them. Nothing here needs files or more than one thread; differences between systems are in [`platform`].
//!
//! # Features
//!
//! All but `tune` are on by default.
//!
//! - `networks`: the evaluation networks are part of the program. Otherwise [`any::install_network`] takes them at run
//!   time; without a network only material counts.
//! - `threads`: [`perft`] counts on several threads. The search needs no feature for its threads.
//! - `tune`: the parameters of the search can be set at run time (`search::Tunables`).

pub mod any;
pub mod arrays;
pub mod bench;
pub mod bits;
pub mod force;
pub mod game;
pub mod layout;
pub mod merels;
pub mod message;
pub mod mills;
pub mod morris;
pub mod network;
pub mod options;
pub mod perft;
pub mod platform;
pub mod play;
pub mod search;
pub mod smess;
mod splitmix;
pub mod texts;
#[cfg(feature = "threads")]
pub mod threads;
pub mod variant;

/// Compiles and runs the README's example with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
