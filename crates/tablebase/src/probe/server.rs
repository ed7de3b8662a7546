//! Asking a server for values: `/api/tablebase` of `millbrain serve` (docs/server.md).

use super::address::Address;
use super::answer::Shown;
use millbrain_core::game::Verdict;
use millbrain_core::game::value::{Known, Value};
use millbrain_core::variant::{NamedRules, Ruleset};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io;
use std::sync::mpsc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use ureq::Agent;

/// How long an answer may take to be of use to anybody.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How long a server that has failed is left alone.
const PAUSE: Duration = Duration::from_secs(10);
/// Largest answer: a thousand positions with a hundred moves each have room.
const MAX_BODY: u64 = 8 << 20;
/// Most positions in one question, as the server has it.
pub(super) const MAX_POSITIONS: usize = 1_000;
/// Answers that are kept: those of a few games.
const KEPT: usize = 100_000;
/// How often it is looked whether there is still time.
const POLL: Duration = Duration::from_millis(1);

/// What is asked.
#[derive(Serialize)]
struct Question<'a> {
    variant: &'a str,
    rules: &'a str,
    fens: &'a [String],
}

/// What is told of the positions, in the order of the question.
#[derive(Deserialize)]
struct Reply {
    positions: Vec<Told>,
}

/// What is told of a position. Without a value the server does not know it.
#[derive(Deserialize)]
struct Told {
    fen: String,
    value: Option<String>,
    plies: Option<u32>,
    #[serde(default)]
    moves: Vec<ToldMove>,
}

#[derive(Deserialize)]
struct ToldMove {
    #[serde(rename = "move")]
    text: String,
    value: String,
    plies: Option<u32>,
}

/// What a server knows of a position: its value, and its moves with what they are worth for whoever makes them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Answer {
    pub known: Known,
    pub moves: Vec<(String, Option<Known>)>,
}

/// A value as the server writes it; `Err` if it says nothing that can be.
fn read(value: &str, plies: Option<u32>) -> Result<Option<Known>, String> {
    let known = match (value, plies) {
        ("unknown", None) => return Ok(None),
        ("draw", None) => Known::Value(Value::Draw),
        ("win", Some(plies)) if plies % 2 == 1 => Known::Value(Value::Win(plies)),
        ("loss", Some(plies)) if plies % 2 == 0 => Known::Value(Value::Loss(plies)),
        ("win", None) => Known::Verdict(Verdict::Win),
        ("loss", None) => Known::Verdict(Verdict::Loss),
        _ => return Err(format!("{value:?} with plies {plies:?} is no value")),
    };
    Ok(Some(known))
}

impl Told {
    /// What it says; `None` if the server does not know the position.
    fn answer(self) -> Result<Option<Answer>, String> {
        let Some(value) = self.value else { return Ok(None) };
        let Some(known) = read(&value, self.plies)? else { return Ok(None) };
        let moves = self.moves.into_iter().map(|mv| Ok((mv.text, read(&mv.value, mv.plies)?)));
        let moves = moves.collect::<Result<Vec<_>, String>>()?;
        // A position is worth what its best move is.
        let best = moves.iter().map(|(_, known)| *known).collect::<Option<Vec<Known>>>();
        let best = best.and_then(|known| known.into_iter().max_by_key(|known| known.rank()));
        match best {
            Some(best)
                if best.verdict() != known.verdict() || known.plies() != best.plies() && known.plies().is_some() =>
            {
                let [said, best] = [known, best].map(|known| Shown::of(Some(known)));
                Err(format!("{} is told to be a {said}, its best move a {best}", self.fen))
            }
            _ => Ok(Some(Answer { known, moves })),
        }
    }
}

/// What has been heard.
#[derive(Default)]
struct Heard {
    /// By FEN; `None` for those that the server does not know.
    answers: HashMap<String, Option<Answer>>,
    /// A fault that has not been told yet.
    fault: Option<String>,
    /// When the server may be asked again.
    silent_until: Option<Instant>,
}

/// A server that is asked about positions of one rule set.
pub(super) struct Server {
    address: Address,
    rules: NamedRules,
    agent: Agent,
    heard: Mutex<Heard>,
}

impl Server {
    pub(super) fn new(address: Address, rules: &Ruleset) -> Arc<Server> {
        let agent = Agent::config_builder().timeout_global(Some(TIMEOUT)).max_redirects(0).proxy(None).build().into();
        Arc::new(Server { address, rules: NamedRules::nearest(*rules), agent, heard: Mutex::default() })
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known of these positions, after asking for those that have not been asked for yet, while `wait` says that
    /// there is time. What comes too late is kept for the next time.
    pub(super) fn ask(self: &Arc<Self>, fens: &[String], wait: &dyn Fn() -> bool) -> Vec<Option<Answer>> {
        let answers = |heard: &Heard| -> Vec<Option<Answer>> {
            fens.iter().map(|fen| heard.answers.get(fen).cloned().flatten()).collect()
        };
        let heard = self.heard();
        let new: Vec<String> = fens.iter().filter(|fen| !heard.answers.contains_key(*fen)).cloned().collect();
        let is_silent = heard.silent_until.is_some_and(|until| Instant::now() < until);
        if new.is_empty() || is_silent || new.len() > MAX_POSITIONS {
            return answers(&heard);
        }
        drop(heard);
        let (done, is_done) = mpsc::channel();
        let server = Arc::clone(self);
        let asking = std::thread::Builder::new().name("tables".to_string()).spawn(move || {
            server.fetch(&new);
            // Whoever asked may have gone on.
            let _ = done.send(());
        });
        if let Err(error) = asking {
            self.fail(&error.to_string());
        }
        while wait() && is_done.recv_timeout(POLL) == Err(mpsc::RecvTimeoutError::Timeout) {}
        answers(&self.heard())
    }

    /// Asks, and keeps what is answered.
    fn fetch(&self, fens: &[String]) {
        match self.post(fens).and_then(|reply| checked(reply, fens)) {
            Ok(answers) => {
                let mut heard = self.heard();
                if heard.answers.len() > KEPT {
                    heard.answers.clear();
                }
                heard.answers.extend(fens.iter().cloned().zip(answers));
            }
            Err(fault) => self.fail(&fault),
        }
    }

    fn post(&self, fens: &[String]) -> Result<Reply, String> {
        let question = Question { variant: self.rules.variant.name(), rules: &self.rules.list(), fens };
        let body = serde_json::to_vec(&question).map_err(|error| error.to_string())?;
        let request = self.agent.post(format!("{}/api/tablebase", self.address)).content_type("application/json");
        let mut response = request.send(&body[..]).map_err(|error| error.to_string())?;
        let body = response.body_mut().with_config().limit(MAX_BODY).reader();
        serde_json::from_reader(io::BufReader::new(body)).map_err(|error| error.to_string())
    }

    /// Leaves the server alone for a while.
    fn fail(&self, fault: &str) {
        let mut heard = self.heard();
        heard.silent_until = Some(Instant::now() + PAUSE);
        heard.fault = Some(self.told(fault));
    }

    /// A fault of the server in words.
    fn told(&self, fault: &str) -> String {
        format!("tablebase server {}: {fault}; not asked for {} s", self.address, PAUSE.as_secs())
    }

    /// Answers that cannot be right: none of them is used any more.
    pub(super) fn refuse(&self, fault: &str) {
        self.heard().answers.clear();
        self.fail(fault);
    }

    /// What has gone wrong, once.
    pub(super) fn new_fault(&self) -> Option<String> {
        self.heard().fault.take()
    }
}

/// The answers to a question, in its order.
fn checked(reply: Reply, fens: &[String]) -> Result<Vec<Option<Answer>>, String> {
    if reply.positions.len() != fens.len() {
        return Err(format!("{} answers to {} questions", reply.positions.len(), fens.len()));
    }
    let answers = reply.positions.into_iter().zip(fens).map(|(told, fen)| {
        if told.fen != *fen {
            return Err(format!("an answer about {:?} to a question about {fen:?}", told.fen));
        }
        told.answer()
    });
    answers.collect()
}
