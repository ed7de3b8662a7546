//! Requests values from a server: `/api/tablebase` of `millbrain serve` (docs/server.md).

use super::address::Address;
use super::answer::Shown;
use super::background::in_background;
use millbrain_core::game::Verdict;
use millbrain_core::game::value::{Known, Value};
use millbrain_core::variant::{NamedRules, Ruleset};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use ureq::Agent;
use ureq::http::StatusCode;

/// The longest useful response time.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The pause after a server has failed, if it does not name one.
const PAUSE: Duration = Duration::from_secs(10);
/// The longest wait for a busy server while there are many requests.
const PATIENCE: Duration = Duration::from_secs(60);
/// The pause for a busy server that does not name one.
const DEFAULT_RETRY: Duration = Duration::from_secs(2);
/// The interval at which the caller's wish to wait is checked.
const LOOK: Duration = Duration::from_millis(20);
/// The largest response body: enough for a thousand positions with a hundred moves each.
const MAX_BODY: u64 = 8 << 20;
/// The most positions in one request, as the server has it.
pub(super) const MAX_POSITIONS: usize = 1_000;
/// The number of answers that are cached: those of a few games.
const KEPT: usize = 100_000;

/// A request.
#[derive(Serialize)]
struct Question<'a> {
    variant: &'a str,
    rules: &'a str,
    fens: &'a [String],
}

/// A response: the positions in the order of the request.
#[derive(Deserialize)]
struct Reply {
    positions: Vec<Reported>,
}

/// A position in a response. Without a value the server does not know it.
#[derive(Deserialize)]
struct Reported {
    fen: String,
    value: Option<String>,
    plies: Option<u32>,
    #[serde(default)]
    moves: Vec<ReportedMove>,
}

#[derive(Deserialize)]
struct ReportedMove {
    #[serde(rename = "move")]
    text: String,
    value: String,
    plies: Option<u32>,
}

/// A server's knowledge of a position: its value, and its moves with their values for the side that makes them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Answer {
    pub known: Known,
    pub moves: Vec<(String, Option<Known>)>,
}

/// Parses a value as the server writes it; fails if no position can have it.
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

impl Reported {
    /// Returns the answer, or `None` if the server does not know the position.
    fn answer(self) -> Result<Option<Answer>, String> {
        let Some(value) = self.value else { return Ok(None) };
        let Some(known) = read(&value, self.plies)? else { return Ok(None) };
        let moves = self.moves.into_iter().map(|mv| Ok((mv.text, read(&mv.value, mv.plies)?)));
        let moves = moves.collect::<Result<Vec<_>, String>>()?;
        // The value of a position is that of its best move.
        let best = moves.iter().map(|(_, known)| *known).collect::<Option<Vec<Known>>>();
        let best = best.and_then(|known| known.into_iter().max_by_key(|known| known.rank()));
        match best {
            Some(best)
                if best.verdict() != known.verdict() || known.plies() != best.plies() && known.plies().is_some() =>
            {
                let [said, best] = [known, best].map(|known| Shown::of(Some(known)));
                Err(format!("{} is reported as a {said}, its best move a {best}", self.fen))
            }
            _ => Ok(Some(Answer { known, moves })),
        }
    }
}

/// The reason why there is no answer.
#[derive(Clone, Debug)]
struct Fault {
    words: String,
    /// The pause that a busy server asks for.
    busy: Option<Duration>,
}

impl From<String> for Fault {
    fn from(words: String) -> Fault {
        Fault { words, busy: None }
    }
}

/// The state of the exchange with a server.
#[derive(Default)]
struct Heard {
    /// The answers by FEN; `None` for positions that the server does not know.
    answers: HashMap<String, Option<Answer>>,
    /// A fault that has not been reported yet.
    fault: Option<String>,
    /// The time from which requests are allowed again.
    silent_until: Option<Instant>,
}

/// A server of values for one rule set.
pub(super) struct Server {
    address: Address,
    rules: NamedRules,
    agent: Agent,
    heard: Mutex<Heard>,
}

impl Server {
    pub(super) fn new(address: Address, rules: &Ruleset) -> Arc<Server> {
        let config = Agent::config_builder().timeout_global(Some(TIMEOUT)).max_redirects(0).proxy(None);
        let agent = config.http_status_as_error(false).build().into();
        Arc::new(Server { address, rules: NamedRules::nearest(*rules), agent, heard: Mutex::default() })
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what is known of these positions, after requesting the new ones while `wait` returns that there is time.
    /// Late answers are cached for the next call.
    pub(super) fn ask(self: &Arc<Self>, fens: &[String], wait: &dyn Fn() -> bool) -> Vec<Option<Answer>> {
        let new = self.unheard(fens);
        let is_silent = self.heard().silent_until.is_some_and(|until| Instant::now() < until);
        if !new.is_empty() && !is_silent && new.len() <= MAX_POSITIONS {
            self.fetch(new, wait);
        }
        self.answers(fens)
    }

    /// Returns what is known of these positions, after requesting the new ones. A busy server is retried as soon as it
    /// allows.
    ///
    /// # Errors
    /// Fails if the server fails, is busy for too long, or `wait` returns false.
    pub(super) fn ask_all(
        self: &Arc<Self>,
        fens: &[String],
        wait: &dyn Fn() -> bool,
    ) -> Result<Vec<Option<Answer>>, String> {
        let mut patience = PATIENCE;
        loop {
            let new = self.unheard(fens);
            if new.is_empty() {
                return Ok(self.answers(fens));
            }
            let Err(fault) = self.fetch(new, wait).unwrap_or_else(|| Err("interrupted".to_string().into())) else {
                continue;
            };
            let pause = fault.busy.filter(|pause| *pause <= patience);
            let pause = pause.ok_or_else(|| format!("tablebase server {}: {}", self.address, fault.words))?;
            self.new_fault();
            patience -= pause;
            let until = Instant::now() + pause;
            while wait() && Instant::now() < until {
                std::thread::sleep(LOOK.min(until - Instant::now()));
            }
        }
    }

    fn unheard(&self, fens: &[String]) -> Vec<String> {
        let heard = self.heard();
        fens.iter().filter(|fen| !heard.answers.contains_key(*fen)).cloned().collect()
    }

    fn answers(&self, fens: &[String]) -> Vec<Option<Answer>> {
        let heard = self.heard();
        fens.iter().map(|fen| heard.answers.get(fen).cloned().flatten()).collect()
    }

    /// Requests values while there is time, and caches them; returns `None` if time runs out.
    fn fetch(self: &Arc<Self>, fens: Vec<String>, wait: &dyn Fn() -> bool) -> Option<Result<(), Fault>> {
        let server = Arc::clone(self);
        let asking = move || {
            let answers = server.post(&fens).and_then(|reply| Ok(checked(reply, &fens)?));
            server.hear(fens, answers)
        };
        in_background(asking, wait).unwrap_or_else(|error| Some(self.hear(Vec::new(), Err(error.to_string().into()))))
    }

    /// Caches the answers, or pauses requests for a while.
    fn hear(&self, fens: Vec<String>, answers: Result<Vec<Option<Answer>>, Fault>) -> Result<(), Fault> {
        let answers = answers.inspect_err(|fault| drop(self.fail(&fault.words, fault.busy.unwrap_or(PAUSE))))?;
        let mut heard = self.heard();
        if heard.answers.len() > KEPT {
            heard.answers.clear();
        }
        heard.answers.extend(fens.into_iter().zip(answers));
        Ok(())
    }

    fn post(&self, fens: &[String]) -> Result<Reply, Fault> {
        let words = |error: &dyn std::fmt::Display| Fault::from(error.to_string());
        let question = Question { variant: self.rules.variant.name(), rules: &self.rules.list(), fens };
        let body = serde_json::to_vec(&question).map_err(|error| words(&error))?;
        let request = self.agent.post(format!("{}/api/tablebase", self.address)).content_type("application/json");
        let mut response = request.send(&body[..]).map_err(|error| words(&error))?;
        let status = response.status();
        if status == StatusCode::TOO_MANY_REQUESTS || status == StatusCode::SERVICE_UNAVAILABLE {
            let seconds = response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
            let busy = Some(seconds.map_or(DEFAULT_RETRY, |seconds: u64| Duration::from_secs(seconds.max(1))));
            return Err(Fault { words: format!("http status: {status}"), busy });
        }
        if !status.is_success() {
            return Err(format!("http status: {status}").into());
        }
        let body = response.body_mut().with_config().limit(MAX_BODY).reader();
        serde_json::from_reader(io::BufReader::new(body)).map_err(|error| words(&error))
    }

    /// Pauses requests for a while, and returns the fault as text.
    fn fail(&self, fault: &str, pause: Duration) -> String {
        let words = format!("tablebase server {}: {fault}", self.address);
        let mut heard = self.heard();
        heard.silent_until = Instant::now().checked_add(pause);
        heard.fault = Some(format!("{words}; not asked for {} s", pause.as_secs()));
        words
    }

    /// Discards all answers of a server that has contradicted itself, and returns the fault as text.
    pub(super) fn refuse(&self, fault: &str) -> String {
        self.heard().answers.clear();
        self.fail(fault, PAUSE)
    }

    /// Returns the fault, once.
    pub(super) fn new_fault(&self) -> Option<String> {
        self.heard().fault.take()
    }
}

/// Returns the answers to a request, in its order.
fn checked(reply: Reply, fens: &[String]) -> Result<Vec<Option<Answer>>, String> {
    if reply.positions.len() != fens.len() {
        return Err(format!("{} answers to {} questions", reply.positions.len(), fens.len()));
    }
    let answers = reply.positions.into_iter().zip(fens).map(|(reported, fen)| {
        if reported.fen != *fen {
            return Err(format!("an answer about {:?} to a question about {fen:?}", reported.fen));
        }
        reported.answer()
    });
    answers.collect()
}
