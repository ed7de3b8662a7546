//! Compact files beside local tables that are fast. A search asks them once, for its position and the moves from there.

use super::asked::{Prepared, Reported, place, positions_ahead};
use super::pair::FirstFault;
use super::tables::Tablebase;
use crate::compact::Compact;
use crate::endings::{Endings, PositionOf, Sector};
use crate::format::Fault;
use crate::hosted::Hosted;
use millbrain_core::game::value::{Known, Oracle, Value, known_end};
use millbrain_core::game::{Game, Verdict};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// The positions that are looked up together in files on hosts.
const TOGETHER: usize = 100;

/// A compact file, local or on a host.
pub(super) struct CompactFile<E: Endings> {
    place: Place<E>,
    fault: FirstFault,
}

enum Place<E: Endings> {
    Local(Compact<E>),
    Host(OnHost<E>),
}

/// A compact file on a host, opened as soon as its beginning has arrived.
struct OnHost<E: Endings> {
    file: Arc<Hosted>,
    endings: E,
    opened: Mutex<Option<Opened<E>>>,
    /// Whether damage has led to another attempt with fresh pages.
    is_renewed: AtomicBool,
}

/// A version of a file on a host.
struct Opened<E: Endings> {
    version: u32,
    /// `None` if it cannot be used.
    compact: Option<Arc<Compact<E>>>,
}

impl<E: Endings> OnHost<E> {
    /// Returns the file, or `None` if it cannot be used.
    fn opened(&self) -> Result<Option<Arc<Compact<E>>>, Fault> {
        let version = self.file.version();
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(opened) = opened.as_ref().filter(|opened| opened.version == version) {
            return Ok(opened.compact.clone());
        }
        let compact = Compact::hosted(Arc::clone(&self.file), &self.endings).map(Arc::new);
        if !matches!(compact, Err(Fault::Absent)) {
            *opened = Some(Opened { version, compact: compact.as_ref().ok().cloned() });
        }
        compact.map(Some)
    }

    /// Whether damage may go away by reading the file again, because the pages were of two versions.
    fn renews(&self, fault: &Fault) -> bool {
        let renews = !matches!(fault, Fault::Rules) && !self.is_renewed.swap(true, Relaxed);
        if renews {
            log::warn!("{}: {fault}, reading it again", self.file.address());
            self.file.renew();
        }
        renews
    }
}

impl<E: Endings> CompactFile<E> {
    pub(super) fn local(compact: Compact<E>) -> CompactFile<E> {
        CompactFile { place: Place::Local(compact), fault: FirstFault::default() }
    }

    pub(super) fn hosted(address: &str, endings: &E) -> CompactFile<E> {
        let (file, is_renewed) = (Hosted::at(address), AtomicBool::new(false));
        let host = OnHost { file, endings: endings.clone(), opened: Mutex::default(), is_renewed };
        CompactFile { place: Place::Host(host), fault: FirstFault::default() }
    }

    /// Returns the sectors; of a file on a host none.
    pub(super) fn sectors(&self) -> impl Iterator<Item = Sector> {
        let local = match &self.place {
            Place::Local(compact) => Some(compact),
            Place::Host(_) => None,
        };
        local.into_iter().flat_map(|compact| compact.sections().map(|section| section.sector))
    }

    const fn host(&self) -> Option<&Arc<Hosted>> {
        match &self.place {
            Place::Local(_) => None,
            Place::Host(host) => Some(&host.file),
        }
    }

    fn name(&self) -> String {
        match &self.place {
            Place::Local(compact) => compact.name(),
            Place::Host(host) => host.file.address().to_string(),
        }
    }

    /// Calls a function with the file, if it is open; a fault counts as nothing known.
    fn with<T>(&self, look: impl FnOnce(&Compact<E>) -> Result<Option<T>, Fault>) -> Option<T> {
        let found = match &self.place {
            Place::Local(compact) => look(compact),
            Place::Host(host) => host.opened().and_then(|compact| compact.map_or(Ok(None), |compact| look(&compact))),
        };
        match (&self.place, found) {
            (_, Ok(found)) => found,
            (Place::Host(_), Err(Fault::Absent)) => None,
            (Place::Host(host), Err(fault)) if host.renews(&fault) => None,
            (_, Err(fault)) => self.fault.sound(|| self.name(), "'tablebase compact' makes a new one", Err(fault)),
        }
    }
}

/// Local tables and compact files, probed in this order.
pub(super) struct WithCompact<E: Endings> {
    at_hand: Arc<Tablebase<E>>,
    /// All endings that can have tables.
    endings: E,
    files: Vec<CompactFile<E>>,
}

impl<E: Endings> WithCompact<E> {
    pub(super) fn new(at_hand: Tablebase<E>, endings: E, files: Vec<CompactFile<E>>) -> WithCompact<E> {
        WithCompact { at_hand: Arc::new(at_hand), endings, files }
    }

    /// Returns the result of a position by the compact files, as far as their bytes are here.
    fn verdict_of(&self, pos: &PositionOf<E>) -> Option<Verdict> {
        let (sector, slot) = place(&self.endings, self.at_hand.limit(), pos)?;
        let look = |file: &CompactFile<E>| {
            file.with(|compact| {
                let Some(section) = compact.section(sector) else { return Ok(None) };
                if section.is_left_out() {
                    return Ok(Some(None));
                }
                compact.verdict(sector, slot, self.at_hand.cache()).map(|verdict| Some(Some(verdict)))
            })
        };
        self.files.iter().find_map(look)?.or_else(|| self.derived(pos))
    }

    /// Returns the result of a position from those one move on.
    fn derived(&self, pos: &PositionOf<E>) -> Option<Verdict> {
        let game = self.endings.game();
        let (mut best, mut is_known) = (Verdict::Loss, true);
        game.generate(pos, |mv| {
            if best == Verdict::Win {
                return;
            }
            let next = game.play(pos, mv);
            let end = known_end(&game, &next).map(Value::verdict);
            match end.or_else(|| self.at_hand.verdict(&next)).or_else(|| self.verdict_of(&next)) {
                Some(Verdict::Loss) => best = Verdict::Win,
                Some(Verdict::Draw) => best = Verdict::Draw,
                Some(Verdict::Win) => {}
                None => is_known = false,
            }
        });
        (is_known || best == Verdict::Win).then_some(best)
    }

    /// Returns the results of those positions of which the local tables have none, while there is time.
    fn look_up(&self, positions: &[PositionOf<E>], wait: &dyn Fn() -> bool) -> Reported {
        let open = positions.iter().filter(|pos| self.at_hand.verdict(pos).is_none());
        let open: Vec<_> =
            open.filter_map(|pos| Some((place(&self.endings, self.at_hand.limit(), pos)?, pos))).collect();
        loop {
            let in_time = open.iter().take_while(|_| wait());
            let known = in_time.filter_map(|&(place, pos)| Some((place, Known::Verdict(self.verdict_of(pos)?))));
            let known: Reported = known.collect();
            let hosts = self.files.iter().filter_map(CompactFile::host);
            if hosts.filter(|host| wait() && host.fetch(wait)).count() == 0 {
                return known;
            }
        }
    }

    fn prepared(&self, reported: Reported) -> Option<Prepared<E>> {
        let known = Arc::clone(&self.at_hand) as _;
        (!reported.is_empty()).then(|| Prepared { known, endings: self.endings.clone(), reported })
    }
}

impl<E: Endings> Oracle<PositionOf<E>> for WithCompact<E> {
    fn beneath(&self) -> Option<&dyn Oracle<PositionOf<E>>> {
        Some(&*self.at_hand)
    }

    fn ask(&self, pos: &PositionOf<E>, wait: &dyn Fn() -> bool) -> Option<Box<dyn Oracle<PositionOf<E>>>> {
        let positions = positions_ahead(&self.endings, self.at_hand.limit(), pos);
        Some(Box::new(self.prepared(self.look_up(&positions, wait))?))
    }

    fn ask_all(
        &self,
        positions: &mut dyn Iterator<Item = PositionOf<E>>,
        wait: &dyn Fn() -> bool,
    ) -> Result<Option<Arc<dyn Oracle<PositionOf<E>>>>, String> {
        // Local files are read as fast one by one.
        if self.files.iter().all(|file| file.host().is_none()) {
            return Ok(None);
        }
        let mut reported = Reported::new();
        loop {
            let together: Vec<PositionOf<E>> = positions.take(TOGETHER).collect();
            if together.is_empty() {
                return Ok(self.prepared(reported).map(|prepared| Arc::new(prepared) as _));
            }
            reported.extend(self.look_up(&together, wait));
            if let Some(fault) = self.files.iter().filter_map(CompactFile::host).find_map(|host| host.new_fault()) {
                return Err(fault);
            }
        }
    }

    fn known(&self, pos: &PositionOf<E>) -> Option<Known> {
        let at_hand = self.at_hand.known(pos);
        at_hand.or_else(|| self.look_up(&[*pos], &|| true).into_values().next())
    }

    fn new_faults(&self) -> Vec<String> {
        let hosts = self.files.iter().filter_map(CompactFile::host).filter_map(|host| host.new_fault());
        let files = self.files.iter().filter_map(|file| file.fault.new_fault());
        self.at_hand.new_faults().into_iter().chain(hosts).chain(files).collect()
    }
}
