//! All games between people, and who follows them.
//!
//! One thread does one thing after the other: it takes what clients say, as much as there is, writes what has changed in one
//! piece, and tells everybody then. What a client has heard is on disk.

use super::super::archive::{Archive, ArchiveError, Played};
use super::super::outbox::Outbox;
use super::game::{Game, Stage, Time, key_of};
use super::terms::{Act, Colour, Fault, Terms};
use super::wire::{self, GAMES, INVITATIONS, Refusal, Request};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Messages that wait for the thread.
const INBOX: usize = 1_024;
/// Messages that are written in one piece.
const BATCH: usize = 256;
/// Longest sleep.
const SLEEP: Duration = Duration::from_secs(60);
/// Sleep before what could not be written is tried again.
const PATIENCE: Duration = Duration::from_secs(1);
/// Games in the list of the lobby.
const LOBBY: usize = 100;

/// A client that is connected.
struct Client {
    outbox: Arc<Outbox>,
    address: IpAddr,
    /// The game that it follows, and its seat there.
    game: Option<(String, Option<Colour>)>,
    lobby: bool,
}

/// What comes to the thread.
enum News {
    Came(u64, Arc<Outbox>, IpAddr),
    Said(u64, String),
    Left(u64),
}

/// How many games and clients there are.
#[derive(Default)]
pub struct Load {
    /// Games with a free seat.
    pub open: AtomicUsize,
    /// Games that are played.
    pub playing: AtomicUsize,
    /// Games that have ended since the start.
    pub ended: AtomicUsize,
}

/// Where games between people are played, until it is dropped.
pub struct Hall {
    news: Mutex<Option<SyncSender<News>>>,
    thread: Option<JoinHandle<()>>,
    /// How many games there are.
    pub load: Arc<Load>,
}

impl Hall {
    /// Goes on with the games of the archive.
    ///
    /// # Errors
    /// Whatever the archive says, or no thread.
    pub fn start(archive: Arc<Archive>) -> Result<Hall, HallError> {
        let (news, inbox) = sync_channel(INBOX);
        let load = Arc::new(Load::default());
        let mut house = House::new(archive, Arc::clone(&load))?;
        let body = move || house.run(&inbox);
        let thread = std::thread::Builder::new().name("people".to_string()).spawn(body).map_err(HallError::Thread)?;
        Ok(Hall { news: Mutex::new(Some(news)), thread: Some(thread), load })
    }

    /// Hands a message over; gives it back where there is no room now. After the end nobody hears it.
    fn offer(&self, news: News) -> Result<(), News> {
        match self.news.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|sender| sender.try_send(news)) {
            Some(Err(TrySendError::Full(news))) => Err(news),
            _ => Ok(()),
        }
    }

    async fn hand_over(&self, mut news: News) {
        while let Err(back) = self.offer(news) {
            news = back;
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// A client has come.
    pub(super) async fn came(&self, client: u64, outbox: &Arc<Outbox>, address: IpAddr) {
        self.hand_over(News::Came(client, Arc::clone(outbox), address)).await;
    }

    /// A client has said something.
    pub(super) async fn said(&self, client: u64, text: String) {
        self.hand_over(News::Said(client, text)).await;
    }

    /// A client has gone.
    pub(super) async fn left(&self, client: u64) {
        self.hand_over(News::Left(client)).await;
    }
}

impl Drop for Hall {
    fn drop(&mut self) {
        drop(self.news.lock().unwrap_or_else(PoisonError::into_inner).take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Why there is no hall.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HallError {
    /// The games cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// There is no thread.
    #[error("no thread ({0})")]
    Thread(#[source] io::Error),
}

/// What the thread knows.
struct House {
    archive: Arc<Archive>,
    load: Arc<Load>,
    games: HashMap<String, Game>,
    clients: BTreeMap<u64, Client>,
    /// Games as they were before what is not written yet; nothing for those that were not there.
    before: BTreeMap<String, Option<Game>>,
    /// Games of which something is to be told.
    news: BTreeSet<String>,
    lobby_changed: bool,
    /// What is to be told to single clients.
    letters: Vec<(u64, Value)>,
    /// Whom a fault of the disk concerns.
    askers: BTreeSet<u64>,
    /// The time of the start, by both clocks: nobody who sets the clock of the machine makes flags fall.
    started: (u64, Instant),
}

impl House {
    fn new(archive: Arc<Archive>, load: Arc<Load>) -> Result<House, ArchiveError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64);
        let mut games = HashMap::new();
        for Played { id, state, record } in archive.played()? {
            let kept = serde_json::from_str(&state).map_err(|error| error.to_string());
            match kept.and_then(|kept| Game::resume(kept, record, now).map_err(|fault| fault.to_string())) {
                Ok(game) => drop(games.insert(id, game)),
                // It stays where it is, for a program that can read it.
                Err(error) => log::error!("game {id} between people cannot be gone on with: {error}"),
            }
        }
        Ok(House {
            archive,
            load,
            games,
            clients: BTreeMap::new(),
            before: BTreeMap::new(),
            news: BTreeSet::new(),
            lobby_changed: false,
            letters: Vec::new(),
            askers: BTreeSet::new(),
            started: (now, Instant::now()),
        })
    }

    fn now(&self) -> u64 {
        self.started.0 + self.started.1.elapsed().as_millis() as u64
    }

    fn run(&mut self, inbox: &Receiver<News>) {
        let mut is_kept = true;
        loop {
            let due = self.games.values().map(Game::deadline).min();
            let wait = due.map_or(SLEEP, |due| Duration::from_millis(due.saturating_sub(self.now())).min(SLEEP));
            // What is due stays due where it cannot be written.
            let wait = if is_kept { wait } else { wait.max(PATIENCE) };
            let first = match inbox.recv_timeout(wait) {
                Ok(news) => Some(news),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let now = self.now();
            // Before what clients say: a move after the fall of a flag comes too late.
            self.tick(now);
            for news in first.into_iter().chain(inbox.try_iter().take(BATCH)) {
                self.take(news, now);
            }
            is_kept = self.keep();
            self.tell(now);
        }
    }

    fn take(&mut self, news: News, now: u64) {
        match news {
            News::Came(id, outbox, address) => {
                self.clients.insert(id, Client { outbox, address, game: None, lobby: false });
            }
            News::Left(id) => self.leave(id),
            News::Said(id, text) => {
                if let Err(refusal) = self.answer(id, &text, now) {
                    self.letters.push((id, refusal.told()));
                }
            }
        }
    }

    fn leave(&mut self, id: u64) {
        let client = self.clients.remove(&id);
        if let Some((game, _)) = client.and_then(|client| client.game) {
            self.presence_changed(game);
        }
    }

    /// Who is there has changed: those who follow are told, and an invitation with a clock stands in the lobby while its host is there.
    fn presence_changed(&mut self, game: String) {
        self.lobby_changed |= self.games.get(&game).is_some_and(Game::is_open);
        self.news.insert(game);
    }

    /// Remembers a game as it is, before it changes.
    fn about_to_change(&mut self, id: &str) {
        if !self.before.contains_key(id) {
            self.before.insert(id.to_string(), self.games.get(id).cloned());
        }
        self.lobby_changed = true;
        self.news.insert(id.to_string());
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

    fn answer(&mut self, id: u64, text: &str, now: u64) -> Result<(), Refusal> {
        // What players do in their game and what else clients ask for are told apart by their names.
        let unread = match serde_json::from_str::<Act>(text) {
            Ok(act) => return self.act(id, &act, now),
            Err(error) => error,
        };
        let is_act = !unread.to_string().starts_with("unknown variant");
        let request = serde_json::from_str(text);
        match request.map_err(|error| Refusal::Unreadable(if is_act { unread } else { error }))? {
            Request::Create { token, name, colour, variant, rules, clock, listed } => {
                let game = Game::open(Terms { variant, rules, clock, listed }, colour, &name, &token, now)?;
                let name = game.id().to_string();
                if !self.games.contains_key(&name) {
                    self.room_for_invitation(id)?;
                    self.about_to_change(&name);
                    let host = self.clients.get(&id).map(|client| client.address.to_canonical());
                    self.games.insert(name.clone(), game.invited_by(host));
                }
                self.sit(id, &name, Some(&token))?;
            }
            Request::Join { game: name, token, name: player } => {
                key_of(&token)?;
                let mut game = self.games.get(&name).cloned().ok_or(Refusal::NoGame)?;
                let before = game.is_open();
                game.join(&player, &token, now)?;
                if before != game.is_open() {
                    self.about_to_change(&name);
                    self.games.insert(name.clone(), game);
                }
                self.askers.insert(id);
                self.sit(id, &name, Some(&token))?;
            }
            Request::Follow { game, token } => self.sit(id, &game, token.as_deref())?,
            Request::Lobby { follow } => {
                let list = follow.then(|| self.lobby());
                if let Some(client) = self.clients.get_mut(&id) {
                    client.lobby = follow;
                }
                self.letters.extend(list.map(|list| (id, list)));
            }
            Request::Ping => self.letters.push((id, json!({"event": "pong"}))),
        }
        Ok(())
    }

    fn room_for_invitation(&self, id: u64) -> Result<(), Refusal> {
        let address = self.clients.get(&id).map(|client| client.address.to_canonical());
        // Those from before the last start count, too.
        let own = self.games.values().filter(|game| game.is_open() && game.host() == address);
        if own.count() >= INVITATIONS {
            return Err(Refusal::Invitations);
        }
        let busy = self.games.values().filter(|game| game.is_open() || game.is_playing());
        if busy.count() >= GAMES { Err(Refusal::Games) } else { Ok(()) }
    }

    /// A client follows a game from now on, and no other.
    fn sit(&mut self, id: u64, name: &str, token: Option<&str>) -> Result<(), Refusal> {
        let game = self.games.get(name).ok_or(Refusal::NoGame)?;
        let seat = match token {
            Some(token) => Some(game.seat(&key_of(token)?).ok_or(Fault::Stranger)?),
            None => None,
        };
        self.letters.push((id, json!({"event": "seat", "game": name, "side": seat})));
        let Some(client) = self.clients.get_mut(&id) else { return Ok(()) };
        let left = client.game.replace((name.to_string(), seat));
        if let Some((other, _)) = left.filter(|(other, _)| other != name) {
            self.presence_changed(other);
        }
        self.presence_changed(name.to_string());
        Ok(())
    }

    fn act(&mut self, id: u64, act: &Act, now: u64) -> Result<(), Refusal> {
        let (name, seat) = self.clients.get(&id).and_then(|client| client.game.clone()).ok_or(Refusal::NoGame)?;
        let colour = seat.ok_or(Refusal::Spectator)?;
        let mut game = self.games.get(&name).cloned().ok_or(Refusal::NoGame)?;
        self.askers.insert(id);
        if game.act(colour, act, now)? {
            self.about_to_change(&name);
            if let Some(next) = game.rematch(now).filter(|next| !self.games.contains_key(next.id())) {
                self.about_to_change(next.id());
                self.games.insert(next.id().to_string(), next);
            }
            self.games.insert(name, game);
        } else {
            // Who sends again what has been done wants to hear of it.
            self.news.insert(name);
        }
        Ok(())
    }

    /// Writes what has changed, or takes it back where that cannot be done; whether it could be.
    fn keep(&mut self) -> bool {
        let before = std::mem::take(&mut self.before);
        let askers = std::mem::take(&mut self.askers);
        if before.is_empty() {
            return true;
        }
        let changes: Vec<_> = before.keys().map(|id| (id.as_str(), self.games.get(id))).collect();
        let kept = self.archive.keep_played(&changes);
        let is_kept = kept.is_ok();
        match kept {
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
                log::error!("games between people: {error}");
                for (id, game) in before {
                    match game {
                        Some(game) => drop(self.games.insert(id, game)),
                        None => drop(self.games.remove(&id)),
                    }
                }
                // Nobody hears of what has not been.
                self.letters.retain(|(_, letter)| letter.get("event") != Some(&json!("seat")));
                self.letters.extend(askers.into_iter().map(|id| (id, Refusal::Disk.told())));
            }
        }
        let count = |of: fn(&Game) -> bool| self.games.values().filter(|game| of(game)).count();
        self.load.open.store(count(Game::is_open), Relaxed);
        self.load.playing.store(count(Game::is_playing), Relaxed);
        is_kept
    }

    /// Tells everybody what concerns them. Who does not read is let go: it can come again and has missed nothing.
    fn tell(&mut self, now: u64) {
        let mut letters: Vec<(u64, String)> =
            self.letters.drain(..).map(|(id, letter)| (id, letter.to_string())).collect();
        for name in std::mem::take(&mut self.news) {
            let text = match self.games.get(&name) {
                Some(game) => self.state(game, now).to_string(),
                None => json!({"event": "gone", "game": name}).to_string(),
            };
            let follows = |client: &Client| client.game.as_ref().is_some_and(|(game, _)| *game == name);
            let followers = self.clients.iter().filter(|(_, client)| follows(client));
            letters.extend(followers.map(|(id, _)| (*id, text.clone())));
        }
        if std::mem::take(&mut self.lobby_changed) && self.clients.values().any(|client| client.lobby) {
            let text = self.lobby().to_string();
            letters.extend(self.clients.iter().filter(|(_, client)| client.lobby).map(|(id, _)| (*id, text.clone())));
        }
        let mut lost = BTreeSet::new();
        for (id, text) in letters {
            if self.clients.get(&id).is_some_and(|client| !client.outbox.offer(text)) {
                lost.insert(id);
            }
        }
        for id in lost {
            if let Some(client) = self.clients.get(&id) {
                client.outbox.finish();
            }
            self.leave(id);
        }
    }

    /// A game as all who follow it are told.
    fn state(&self, game: &Game, now: u64) -> Value {
        let followers = self.clients.values().filter_map(|client| client.game.as_ref());
        let seats: Vec<_> = followers.filter(|(name, _)| name == game.id()).map(|(_, seat)| *seat).collect();
        wire::state(game, &seats, now)
    }

    /// The open games that wait for anybody; those with a clock while somebody waits there.
    fn lobby(&self) -> Value {
        let mut games: Vec<_> = self.games.values().filter(|game| game.is_open() && game.terms().listed).collect();
        games.retain(|game| {
            let waits =
                |client: &Client| client.game.as_ref().is_some_and(|(name, seat)| name == game.id() && seat.is_some());
            game.terms().clock.is_none() || self.clients.values().any(waits)
        });
        games.sort_by_key(|game| std::cmp::Reverse((game.deadline(), game.id().to_string())));
        games.truncate(LOBBY);
        wire::lobby(&games)
    }
}
