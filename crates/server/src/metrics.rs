//! Observability of the server: `/healthz`, `/metrics` and the log of requests.

use super::{Shared, api};
use axum::extract::{Extension, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::fmt::{Display, Write as _};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The content type of Prometheus.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The counters.
pub struct Metrics {
    started: Instant,
    /// Answers by the first digit of their status, from 1xx to 5xx.
    answers: [AtomicU64; 5],
    /// Connections closed immediately for lack of a permit.
    pub refused: AtomicU64,
    /// Sessions started.
    pub sessions: AtomicU64,
}

impl Metrics {
    /// Creates counters at zero.
    pub fn new() -> Metrics {
        Metrics {
            started: Instant::now(),
            answers: Default::default(),
            refused: AtomicU64::new(0),
            sessions: AtomicU64::new(0),
        }
    }

    /// Counts an answer and logs it.
    pub fn answered(&self, client: Option<IpAddr>, method: &Method, path: &str, status: StatusCode, time: Duration) {
        let class = usize::from(status.as_u16() / 100).saturating_sub(1);
        if let Some(count) = self.answers.get(class) {
            count.fetch_add(1, Relaxed);
        }
        let client = client.map_or_else(|| "-".to_string(), |client| client.to_canonical().to_string());
        let (status, micros) = (status.as_u16(), time.as_micros());
        log::info!(target: "millbrain::access", "client={client} method={method} path={path:?} status={status} us={micros}");
    }
}

/// Lines in the format of Prometheus.
#[derive(Default)]
struct Lines(String);

impl Lines {
    /// Adds a gauge.
    fn gauge(&mut self, name: &str, what: &str, value: impl Display) {
        self.values(name, what, "gauge", &[("", value)]);
    }

    /// Adds a counter.
    fn counter(&mut self, name: &str, what: &str, value: impl Display) {
        self.values(name, what, "counter", &[("", value)]);
    }

    fn values(&mut self, name: &str, what: &str, kind: &str, values: &[(&str, impl Display)]) {
        let _ = writeln!(self.0, "# HELP millbrain_{name} {what}\n# TYPE millbrain_{name} {kind}");
        for (labels, value) in values {
            let _ = writeln!(self.0, "millbrain_{name}{labels} {value}");
        }
    }
}

/// Returns the bytes of memory of this process, if the system reports them.
fn resident_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib << 10)
}

/// `GET /metrics`, only for this machine.
pub(super) async fn metrics(State(shared): State<Arc<Shared>>, Extension(client): Extension<IpAddr>) -> Response {
    if !client.to_canonical().is_loopback() {
        return api::refused(StatusCode::FORBIDDEN, "figures are shown only on the machine of the server");
    }
    let (load, metrics) = (shared.queue.load(), &shared.metrics);
    let mut lines = Lines::default();
    let classes =
        [r#"{status="1xx"}"#, r#"{status="2xx"}"#, r#"{status="3xx"}"#, r#"{status="4xx"}"#, r#"{status="5xx"}"#];
    let answers = metrics.answers.each_ref().map(|count| count.load(Relaxed));
    let answers: Vec<_> = classes.into_iter().zip(answers).collect();
    lines.values("requests_total", "Requests by the class of their answer.", "counter", &answers);
    lines.gauge("connections", "Open connections, those of sessions apart.", shared.connections.taken());
    lines.gauge("connections_limit", "Most of them.", shared.connections.total());
    lines.counter(
        "connections_refused_total",
        "Connections for which there was no place.",
        metrics.refused.load(Relaxed),
    );
    lines.gauge("sessions", "Engine sessions.", shared.sessions.taken());
    lines.gauge("sessions_limit", "Most of them.", shared.sessions.total());
    lines.counter("sessions_total", "Engine sessions that have been begun.", metrics.sessions.load(Relaxed));
    lines.gauge("processors", "Search threads that may run at a time.", shared.queue.processors());
    let searches = [(r#"{state="running"}"#, load.running), (r#"{state="waiting"}"#, load.waiting)];
    lines.values("searches", "Searches that have their turn, or wait for it.", "gauge", &searches);
    lines.counter("searches_total", "Searches that have ended.", load.ended);
    lines.counter("search_wait_seconds_total", "Time that these have waited for turns.", load.slept.as_secs_f64());
    lines.gauge("players", "Clients that play against each other, or watch.", shared.players.taken());
    lines.gauge("players_limit", "Most of them.", shared.players.total());
    if let Some(lobby) = &shared.lobby {
        let (open, playing) = (lobby.load.open.load(Relaxed), lobby.load.playing.load(Relaxed));
        let games = [(r#"{stage="open"}"#, open), (r#"{stage="playing"}"#, playing)];
        lines.values("people_games", "Games between people that wait for an opponent, or are played.", "gauge", &games);
        lines.counter("people_games_total", "Games between people that have ended.", lobby.load.ended.load(Relaxed));
    }
    lines.gauge("uptime_seconds", "Time since the start.", metrics.started.elapsed().as_secs_f64());
    if let Some(bytes) = resident_memory() {
        lines.gauge("resident_memory_bytes", "Memory of the process.", bytes);
    }
    ([(header::CONTENT_TYPE, TEXT), (header::CACHE_CONTROL, "no-store")], lines.0).into_response()
}

/// `GET /healthz`: whether the server and its archive answer.
pub(super) async fn health(State(shared): State<Arc<Shared>>) -> Response {
    let archive = match &shared.archive {
        Some(archive) => {
            let archive = Arc::clone(archive);
            api::off_thread(&shared.threads.health, move || Ok(archive.check()?)).await
        }
        None => Ok(()),
    };
    match archive {
        Ok(()) => ([(header::CACHE_CONTROL, "no-store")], "ok\n").into_response(),
        Err(error) => {
            log::error!("unhealthy: {error}");
            api::refused(StatusCode::SERVICE_UNAVAILABLE, "the archive does not answer, see the log of the server")
        }
    }
}
