//! All games between people, and the clients that follow them.
//!
//! One thread handles all events in order: it reads the waiting messages, saves all changes in one transaction, and
//! then answers. Everything that a client has received is on disk.

use super::super::archive::{Archive, ArchiveError, Played};
use super::super::outbox::Outbox;
use super::game::{Game, Stage, Time, key_of};
use super::terms::{Act, Both, Colour, Terms};
use super::wire::{self, GAMES, INVITATIONS, Refusal, Request, TOKENS};
use serde_json::{Map, Value, json};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Maximum number of waiting events.
const INBOX: usize = 1_024;
/// Maximum events per transaction.
const BATCH: usize = 256;
/// Maximum sleep.
const SLEEP: Duration = Duration::from_secs(60);
/// Delay before a failed save is repeated.
const PATIENCE: Duration = Duration::from_secs(1);
/// Maximum games in a list that is sent.
const LISTED: usize = 100;

/// A connected client.
struct Client {
    outbox: Arc<Outbox>,
    address: IpAddr,
    /// Digests of the client's tokens.
    keys: Vec<String>,
    /// The game that the client follows.
    game: Option<String>,
    follows_lobby: bool,
}

/// An event that the thread handles.
enum Event {
    Connected(u64, Arc<Outbox>, IpAddr),
    Received(u64, String),
    Disconnected(u64),
}

/// An answer to a single client.
enum Reply {
    /// The client follows a game, from its seat if it has one.
    Seat(String),
    /// The client's own games.
    Games,
    Lobby,
    /// The refusal of a request, and the game it concerned, if any.
    Refused(Refusal, Option<String>),
    Pong,
}

/// Counts of games.
#[derive(Default)]
pub struct Load {
    /// Games with a free seat.
    pub open: AtomicUsize,
    /// Games in progress.
    pub playing: AtomicUsize,
    /// Games that have ended since the start.
    pub ended: AtomicUsize,
}

/// The games between people, which run until it is dropped.
pub struct Lobby {
    events: Mutex<Option<SyncSender<Event>>>,
    thread: Option<JoinHandle<()>>,
    /// Counts of the games.
    pub load: Arc<Load>,
}

impl Lobby {
    /// Resumes the games of the archive.
    ///
    /// # Errors
    /// A fault of the archive, or no thread.
    pub fn start(archive: Arc<Archive>) -> Result<Lobby, LobbyError> {
        let (events, inbox) = sync_channel(INBOX);
        let load = Arc::new(Load::default());
        let mut games = Games::new(archive, Arc::clone(&load))?;
        let body = move || games.run(&inbox);
        let thread = std::thread::Builder::new().name("people".to_string()).spawn(body).map_err(LobbyError::Thread)?;
        Ok(Lobby { events: Mutex::new(Some(events)), thread: Some(thread), load })
    }

    /// Sends an event to the thread; returns it when the inbox is full. After the end events are dropped.
    fn offer(&self, event: Event) -> Result<(), Event> {
        match self.events.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|sender| sender.try_send(event)) {
            Some(Err(TrySendError::Full(event))) => Err(event),
            _ => Ok(()),
        }
    }

    async fn send(&self, mut event: Event) {
        while let Err(back) = self.offer(event) {
            event = back;
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// Adds a client.
    pub(super) async fn connected(&self, client: u64, outbox: &Arc<Outbox>, address: IpAddr) {
        self.send(Event::Connected(client, Arc::clone(outbox), address)).await;
    }

    /// Handles a message of a client.
    pub(super) async fn received(&self, client: u64, text: String) {
        self.send(Event::Received(client, text)).await;
    }

    /// Removes a client.
    pub(super) async fn disconnected(&self, client: u64) {
        self.send(Event::Disconnected(client)).await;
    }
}

impl Drop for Lobby {
    fn drop(&mut self) {
        drop(self.events.lock().unwrap_or_else(PoisonError::into_inner).take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A lobby that cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LobbyError {
    /// The games cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// No thread can be started.
    #[error("no thread ({0})")]
    Thread(#[source] io::Error),
}

/// The state of the thread.
struct Games {
    archive: Arc<Archive>,
    load: Arc<Load>,
    games: HashMap<String, Game>,
    clients: BTreeMap<u64, Client>,
    /// Games before their unsaved changes; `None` for new ones.
    before: BTreeMap<String, Option<Game>>,
    /// Games whose followers and players need an update.
    changed: BTreeSet<String>,
    lobby_changed: bool,
    replies: Vec<(u64, Reply)>,
    /// Clients whose requests are lost if the changes cannot be saved, and the games concerned.
    senders: BTreeSet<(u64, String)>,
    /// The start by both clocks, so that setting the machine's clock makes no flag fall.
    started: (u64, Instant),
}

impl Games {
    fn new(archive: Arc<Archive>, load: Arc<Load>) -> Result<Games, ArchiveError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64);
        let mut games = HashMap::new();
        for Played { id, state, record } in archive.played()? {
            let kept = serde_json::from_str(&state).map_err(|error| error.to_string());
            match kept.and_then(|kept| Game::resume(kept, record, now).map_err(|fault| fault.to_string())) {
                Ok(game) => drop(games.insert(id, game)),
                // It stays in the archive for a program that can read it.
                Err(error) => log::error!("cannot resume game {id} between people: {error}"),
            }
        }
        Ok(Games {
            archive,
            load,
            games,
            clients: BTreeMap::new(),
            before: BTreeMap::new(),
            changed: BTreeSet::new(),
            lobby_changed: false,
            replies: Vec::new(),
            senders: BTreeSet::new(),
            started: (now, Instant::now()),
        })
    }

    fn now(&self) -> u64 {
        self.started.0 + self.started.1.elapsed().as_millis() as u64
    }

    fn run(&mut self, inbox: &Receiver<Event>) {
        let mut is_saved = true;
        loop {
            let due = self.games.values().map(Game::deadline).min();
            let wait = due.map_or(SLEEP, |due| Duration::from_millis(due.saturating_sub(self.now())).min(SLEEP));
            // An overdue change stays due while it cannot be saved.
            let wait = if is_saved { wait } else { wait.max(PATIENCE) };
            let first = match inbox.recv_timeout(wait) {
                Ok(event) => Some(event),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let now = self.now();
            // Before the messages: a move after the fall of a flag is too late.
            self.tick(now);
            for event in first.into_iter().chain(inbox.try_iter().take(BATCH)) {
                self.handle(event, now);
            }
            is_saved = self.save();
            self.send(now);
        }
    }

    fn handle(&mut self, event: Event, now: u64) {
        match event {
            Event::Connected(id, outbox, address) => {
                let client = Client { outbox, address, keys: Vec::new(), game: None, follows_lobby: false };
                self.clients.insert(id, client);
            }
            Event::Disconnected(id) => self.remove_client(id, now),
            Event::Received(id, text) => match serde_json::from_str(&text) {
                Ok(request) => self.request(id, request, now),
                Err(error) => self.replies.push((id, Reply::Refused(Refusal::Unreadable(error), None))),
            },
        }
    }

    fn remove_client(&mut self, id: u64, now: u64) {
        let Some(Client { keys, game, .. }) = self.clients.remove(&id) else { return };
        self.changed.extend(game);
        self.presence_changed(&keys, now);
    }

    /// Updates the games of a player who has connected or left: an invitation with a clock is listed while its host is
    /// connected.
    fn presence_changed(&mut self, keys: &[String], now: u64) {
        let is_live = |game: &Game| (game.is_open() || game.is_playing()) && game.seat(keys).is_some();
        let ids: Vec<_> = self.games.iter().filter(|(_, game)| is_live(game)).map(|(id, _)| id.clone()).collect();
        for id in ids {
            self.host_changed(&id, now);
            self.changed.insert(id);
        }
    }

    fn host_changed(&mut self, id: &str, now: u64) {
        let Some(game) = self.games.get(id).filter(|game| game.is_open()) else { return };
        let Both { white, black } = self.there(game);
        if let Some(game) = self.games.get_mut(id) {
            game.set_host(white || black, now);
        }
        self.lobby_changed = true;
    }

    /// Returns the connected players of a game.
    fn there(&self, game: &Game) -> Both<bool> {
        let mut there = Both::default();
        for seat in self.clients.values().filter_map(|client| game.seat(&client.keys)) {
            *there.of_mut(seat) = true;
        }
        there
    }

    /// Saves the state of a game before it changes.
    fn about_to_change(&mut self, id: &str) {
        if !self.before.contains_key(id) {
            self.before.insert(id.to_string(), self.games.get(id).cloned());
        }
        self.lobby_changed |= self.games.get(id).is_none_or(Game::is_open);
        self.changed.insert(id.to_string());
    }

    fn tick(&mut self, now: u64) {
        let due: Vec<_> =
            self.games.iter().filter(|(_, game)| game.deadline() <= now).map(|(id, _)| id.clone()).collect();
        for id in due {
            self.about_to_change(&id);
            if self.games.get_mut(&id).map(|game| game.tick(now)) == Some(Time::Gone) {
                self.games.remove(&id);
            }
        }
    }

    fn request(&mut self, id: u64, request: Request, now: u64) {
        let (game, done) = match request {
            Request::Hello { tokens } => (None, self.hello(id, &tokens, now)),
            Request::Create { nonce, name, colour, variant, rules, clock, listed } => {
                let terms = Terms { variant, rules, clock, listed };
                (None, self.create(id, terms, colour, &name, &nonce, now))
            }
            Request::Join { game, name } => (Some(game.clone()), self.join(id, &game, &name, now)),
            Request::Follow { game } => (game.clone(), self.follow(id, game)),
            Request::Lobby { follow } => {
                if let Some(client) = self.clients.get_mut(&id) {
                    client.follows_lobby = follow;
                }
                self.replies.extend(follow.then_some((id, Reply::Lobby)));
                return;
            }
            Request::Move { game, ply, text } => {
                let done = self.act(id, &game, &Act::Move { ply, text }, now);
                (Some(game), done)
            }
            Request::Plan { game, ply, lines } => {
                let done = self.act(id, &game, &Act::Plan { ply, lines }, now);
                (Some(game), done)
            }
            Request::Offer { game, what } => (Some(game.clone()), self.act(id, &game, &Act::Offer(what), now)),
            Request::Accept { game, what } => (Some(game.clone()), self.act(id, &game, &Act::Accept(what), now)),
            Request::Decline { game, what } => (Some(game.clone()), self.act(id, &game, &Act::Decline(what), now)),
            Request::Resign { game } => (Some(game.clone()), self.act(id, &game, &Act::Resign, now)),
            Request::Cancel { game } => (Some(game.clone()), self.act(id, &game, &Act::Cancel, now)),
            Request::Ping => return self.replies.push((id, Reply::Pong)),
        };
        if let Err(refusal) = done {
            self.replies.push((id, Reply::Refused(refusal, game)));
        }
    }

    fn hello(&mut self, id: u64, tokens: &[String], now: u64) -> Result<(), Refusal> {
        if tokens.is_empty() || tokens.len() > TOKENS {
            return Err(Refusal::Tokens(tokens.len()));
        }
        let keys = tokens.iter().map(|token| key_of(token)).collect::<Result<Vec<_>, _>>()?;
        let Some(client) = self.clients.get_mut(&id) else { return Ok(()) };
        let before = std::mem::replace(&mut client.keys, keys.clone());
        self.presence_changed(&before, now);
        self.presence_changed(&keys, now);
        self.replies.push((id, Reply::Games));
        Ok(())
    }

    /// Returns the key with which a client takes seats.
    fn key(&self, id: u64) -> Result<&str, Refusal> {
        let first = self.clients.get(&id).and_then(|client| client.keys.first());
        first.map(String::as_str).ok_or(Refusal::Stranger)
    }

    fn create(
        &mut self,
        id: u64,
        terms: Terms,
        colour: Option<Colour>,
        name: &str,
        nonce: &str,
        now: u64,
    ) -> Result<(), Refusal> {
        let game = Game::open(terms, colour, name, self.key(id)?, nonce, now)?;
        let name = game.id().to_string();
        if !self.games.contains_key(&name) {
            self.room_for_invitation(id)?;
            self.about_to_change(&name);
            let host = self.clients.get(&id).map(|client| client.address.to_canonical());
            self.games.insert(name.clone(), game.invited_by(host));
        }
        self.senders.insert((id, name.clone()));
        self.follow(id, Some(name))
    }

    fn join(&mut self, id: u64, name: &str, player: &str, now: u64) -> Result<(), Refusal> {
        let key = self.key(id)?.to_string();
        let mut game = self.games.get(name).cloned().ok_or(Refusal::NoGame)?;
        if self.seat(id, &game).is_none() {
            game.join(player, &key, now)?;
            self.about_to_change(name);
            self.games.insert(name.to_string(), game);
        }
        self.senders.insert((id, name.to_string()));
        self.follow(id, Some(name.to_string()))
    }

    fn room_for_invitation(&self, id: u64) -> Result<(), Refusal> {
        let address = self.clients.get(&id).map(|client| client.address.to_canonical());
        // Invitations from before the last restart count too.
        let own = self.games.values().filter(|game| game.is_open() && game.host() == address);
        if own.count() >= INVITATIONS {
            return Err(Refusal::Invitations);
        }
        let busy = self.games.values().filter(|game| game.is_open() || game.is_playing());
        if busy.count() >= GAMES { Err(Refusal::Games) } else { Ok(()) }
    }

    /// Returns the seat of a client in a game.
    fn seat(&self, id: u64, game: &Game) -> Option<Colour> {
        self.clients.get(&id).and_then(|client| game.seat(&client.keys))
    }

    fn follow(&mut self, id: u64, game: Option<String>) -> Result<(), Refusal> {
        if game.as_ref().is_some_and(|name| !self.games.contains_key(name)) {
            return Err(Refusal::NoGame);
        }
        let Some(client) = self.clients.get_mut(&id) else { return Ok(()) };
        // The number of spectators changes in both.
        self.changed.extend(std::mem::replace(&mut client.game, game.clone()));
        self.changed.extend(game.clone());
        self.replies.extend(game.map(|name| (id, Reply::Seat(name))));
        Ok(())
    }

    fn act(&mut self, id: u64, name: &str, act: &Act, now: u64) -> Result<(), Refusal> {
        let mut game = self.games.get(name).cloned().ok_or(Refusal::NoGame)?;
        let colour = self.seat(id, &game).ok_or(Refusal::Spectator)?;
        self.senders.insert((id, name.to_string()));
        if game.act(colour, act, now)? {
            self.about_to_change(name);
            if let Some(next) = game.rematch(now).filter(|next| !self.games.contains_key(next.id())) {
                self.about_to_change(next.id());
                self.games.insert(next.id().to_string(), next);
            }
            self.games.insert(name.to_string(), game);
        } else {
            // A client that repeats a request waits for the answer.
            self.changed.insert(name.to_string());
        }
        Ok(())
    }

    /// Saves all changes, or undoes them if that fails; returns whether they are saved.
    fn save(&mut self) -> bool {
        let before = std::mem::take(&mut self.before);
        let senders = std::mem::take(&mut self.senders);
        if before.is_empty() {
            return true;
        }
        let changes: Vec<_> = before.keys().map(|id| (id.as_str(), self.games.get(id))).collect();
        let saved = self.archive.keep_played(&changes);
        let is_saved = saved.is_ok();
        match saved {
            Ok(records) => {
                for (id, record) in records {
                    if let Some(game) = self.games.get_mut(&id) {
                        game.record = Some(record);
                    }
                }
                let was_playing = |(id, game): &(&String, &Option<Game>)| {
                    let is_over = self.games.get(*id).is_some_and(|game| matches!(game.stage(), Stage::Over { .. }));
                    is_over && game.as_ref().is_some_and(Game::is_playing)
                };
                self.load.ended.fetch_add(before.iter().filter(was_playing).count(), Relaxed);
            }
            Err(error) => {
                log::error!("cannot save games between people: {error}");
                let is_undone = |reply: &Reply| matches!(reply, Reply::Seat(game) if before.contains_key(game));
                self.replies.retain(|(_, reply)| !is_undone(reply));
                for (id, game) in before {
                    match game {
                        Some(game) => drop(self.games.insert(id, game)),
                        None => drop(self.games.remove(&id)),
                    }
                }
                let refused = |(id, game)| (id, Reply::Refused(Refusal::Disk, Some(game)));
                self.replies.extend(senders.into_iter().map(refused));
            }
        }
        let count = |of: fn(&Game) -> bool| self.games.values().filter(|game| of(game)).count();
        self.load.open.store(count(Game::is_open), Relaxed);
        self.load.playing.store(count(Game::is_playing), Relaxed);
        is_saved
    }

    /// Sends replies and updates. A client that does not read is dropped: it misses nothing when it reconnects.
    fn send(&mut self, now: u64) {
        let mut messages: Vec<(u64, String)> = Vec::new();
        for (id, reply) in std::mem::take(&mut self.replies) {
            messages.push((id, self.reply(id, reply, now).to_string()));
        }
        for name in std::mem::take(&mut self.changed) {
            self.updates(&name, now, &mut messages);
        }
        if std::mem::take(&mut self.lobby_changed) && self.clients.values().any(|client| client.follows_lobby) {
            let text = self.lobby(now).to_string();
            messages.extend(
                self.clients.iter().filter(|(_, client)| client.follows_lobby).map(|(id, _)| (*id, text.clone())),
            );
        }
        let mut lost = BTreeSet::new();
        for (id, text) in messages {
            if self.clients.get(&id).is_some_and(|client| !client.outbox.offer(text)) {
                lost.insert(id);
            }
        }
        for id in lost {
            if let Some(client) = self.clients.get(&id) {
                client.outbox.finish();
            }
            self.remove_client(id, now);
        }
    }

    fn reply(&self, id: u64, reply: Reply, now: u64) -> Value {
        match reply {
            Reply::Seat(name) => {
                let side = self.games.get(&name).and_then(|game| self.seat(id, game));
                json!({"event": "seat", "game": name, "side": side})
            }
            Reply::Games => self.own(id, now),
            Reply::Lobby => self.lobby(now),
            Reply::Refused(refusal, game) => refusal.message(game.as_deref()),
            Reply::Pong => json!({"event": "pong"}),
        }
    }

    /// Adds the messages about a changed game: to its players, wherever they are, and to its followers.
    fn updates(&self, name: &str, now: u64, messages: &mut Vec<(u64, String)>) {
        let followers = self.clients.iter().filter(|(_, client)| client.game.as_deref() == Some(name));
        let Some(game) = self.games.get(name) else {
            let text = json!({"event": "gone", "game": name}).to_string();
            return messages.extend(followers.map(|(id, _)| (*id, text.clone())));
        };
        let summary = wire::summary(game, &self.there(game), now);
        for (id, client) in &self.clients {
            if let Some(seat) = game.seat(&client.keys) {
                messages.push((*id, wire::games("games", vec![own(summary.clone(), game, seat)]).to_string()));
            }
        }
        let mut state = summary;
        let spectators = followers.clone().filter(|(_, client)| game.seat(&client.keys).is_none()).count();
        state.insert("spectators".to_string(), json!(spectators));
        state.insert("moves".to_string(), json!(game.moves().collect::<Vec<_>>()));
        let text = wire::event("state", state).to_string();
        messages.extend(followers.map(|(id, _)| (*id, text.clone())));
    }

    /// Returns the games of a client: games in progress first, then the latest.
    fn own(&self, id: u64, now: u64) -> Value {
        let seat = |game| self.seat(id, game).filter(|_| *game.stage() != Stage::Aborted);
        let mut games: Vec<_> = self.games.values().filter_map(|game| Some((game, seat(game)?))).collect();
        games.sort_by_key(|(game, _)| (matches!(game.stage(), Stage::Over { .. }), Reverse(game.since())));
        games.truncate(LISTED);
        let listed = games.into_iter().map(|(game, seat)| own(wire::summary(game, &self.there(game), now), game, seat));
        wire::games("games", listed.collect())
    }

    /// Returns the listed open games; those with a clock only while their host is connected.
    fn lobby(&self, now: u64) -> Value {
        let mut games: Vec<_> = self.games.values().filter(|game| game.is_open() && game.terms().listed).collect();
        games.retain(|game| game.terms().clock.is_none() || self.there(game) != Both::default());
        games.sort_by_key(|game| Reverse((game.deadline(), game.id().to_string())));
        games.truncate(LISTED);
        wire::games("lobby", games.iter().map(|game| wire::summary(game, &self.there(game), now)).collect())
    }
}

/// Returns a game with its player's side and prepared answers, which nobody else sees.
fn own(mut summary: Map<String, Value>, game: &Game, side: Colour) -> Map<String, Value> {
    summary.insert("side".to_string(), json!(side));
    summary.insert("plan".to_string(), json!(game.plan(side)));
    summary
}
