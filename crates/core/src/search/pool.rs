//! The threads of a search, started once and reused, each with its working memory.
//!
//! Starting hundreds of threads and touching their memory takes long, so none of it is done on the clock. A search
//! passes each helper a job and does not wait for it to end: a helper that has no processor at the deadline must not
//! delay the answer.

use super::tree::workspace::Workspace;
use crate::platform::{self, STACK_BYTES, THREADS_BEGIN_BY_THEMSELVES, Thread, has_memory_for};
use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Work for a helper.
pub(super) type Job = Box<dyn FnOnce(&mut Workspace) + Send>;

/// The reason why the threads cannot be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PoolError {
    /// There is no memory for the threads.
    #[error("no memory for {threads} threads, expected fewer")]
    Memory {
        /// The requested number.
        threads: usize,
    },
    /// The system refuses to start the threads.
    #[error("{threads} threads cannot be started ({source}), expected fewer")]
    Spawn {
        /// The requested number.
        threads: usize,
        /// The system's reason.
        source: io::Error,
    },
}

/// The number of helpers at work.
#[derive(Default)]
struct Working {
    count: Mutex<usize>,
    none: Condvar,
}

impl Working {
    fn lock(&self) -> MutexGuard<'_, usize> {
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self) {
        *self.lock() += 1;
    }

    fn end(&self) {
        let mut count = self.lock();
        *count -= 1;
        if *count == 0 {
            self.none.notify_all();
        }
    }

    fn wait_for_none(&self) {
        let mut count = self.lock();
        while *count > 0 {
            count = self.none.wait(count).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The jobs of a helper, and whether there will be no more. It is not a channel: in WebAssembly a thread that waits on
/// one is not woken, while condition variables work everywhere.
#[derive(Default)]
struct Jobs {
    waiting: Mutex<(VecDeque<Job>, bool)>,
    changed: Condvar,
}

impl Jobs {
    fn lock(&self) -> MutexGuard<'_, (VecDeque<Job>, bool)> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, job: Job) {
        self.lock().0.push_back(job);
        self.changed.notify_one();
    }

    fn close(&self) {
        self.lock().1 = true;
        self.changed.notify_one();
    }

    /// Waits for a job; returns `None` when all are done and no more will come.
    fn take(&self) -> Option<Job> {
        let mut waiting = self.lock();
        loop {
            if let Some(job) = waiting.0.pop_front() {
                return Some(job);
            }
            if waiting.1 {
                return None;
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A helper: a thread that waits for jobs and does them one after the other.
struct Helper {
    jobs: Arc<Jobs>,
    thread: Option<Thread>,
}

impl Helper {
    fn is_here(&self) -> bool {
        self.thread.as_ref().is_some_and(Thread::is_here)
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        // A thread of another process may have left a lock behind that is never released.
        if self.is_here() {
            self.jobs.close();
        }
        if let Some(thread) = self.thread.take() {
            thread.join();
        }
    }
}

fn serve(jobs: &Jobs, working: &Working) {
    let mut workspace = Workspace::default();
    workspace.reset();
    if THREADS_BEGIN_BY_THEMSELVES {
        working.end();
    }
    while let Some(job) = jobs.take() {
        if catch_unwind(AssertUnwindSafe(|| job(&mut workspace))).is_err() {
            log::error!("a search thread has panicked; the search goes on without it");
        }
        working.end();
    }
}

/// The threads of a search. The thread that calls [`search`](super::search) is the first; the others are helpers.
///
/// One search at a time; a second one waits for the first.
pub struct Pool {
    helpers: Vec<Helper>,
    main: Mutex<Workspace>,
    working: Arc<Working>,
}

impl Pool {
    /// Starts the helpers for a search with this number of threads (at least 1). Waits until they are ready, if they
    /// can start without help.
    ///
    /// # Errors
    /// Fails if there is no memory for them or the system refuses to start them.
    pub fn new(threads: usize) -> Result<Pool, PoolError> {
        let threads = threads.max(1);
        if !has_memory_for(threads) {
            return Err(PoolError::Memory { threads });
        }
        let mut pool = Pool::single();
        pool.main_workspace().reset();
        for id in 1..threads {
            let jobs = Arc::new(Jobs::default());
            let (served, working) = (Arc::clone(&jobs), Arc::clone(&pool.working));
            if THREADS_BEGIN_BY_THEMSELVES {
                pool.working.begin();
            }
            match platform::spawn(format!("search-{id}"), STACK_BYTES, Box::new(move || serve(&served, &working))) {
                Ok(thread) => pool.helpers.push(Helper { jobs, thread: Some(thread) }),
                Err(source) => return Err(PoolError::Spawn { threads, source }),
            }
        }
        pool.settle();
        Ok(pool)
    }

    /// Creates a pool without helpers: the calling thread searches alone. It takes its memory, a MiB and a half, with
    /// its first search: there may be thousands of sessions that have not searched yet.
    pub fn single() -> Pool {
        Pool { helpers: Vec::new(), main: Mutex::default(), working: Arc::default() }
    }

    /// Returns the number of threads, the calling one included.
    pub const fn threads(&self) -> usize {
        self.helpers.len() + 1
    }

    /// Returns whether the helpers belong to the process that this one has been forked from.
    pub fn is_left_behind(&self) -> bool {
        self.helpers.iter().any(|helper| !helper.is_here())
    }

    /// Waits until all helpers are idle; after a search, until they have seen its end.
    pub fn settle(&self) {
        if !self.is_left_behind() {
            self.working.wait_for_none();
        }
    }

    /// Returns the workspace of the calling thread.
    pub(super) fn main_workspace(&self) -> MutexGuard<'_, Workspace> {
        self.main.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes a job to each helper, numbered from 1.
    pub(super) fn start(&self, job: impl Fn(usize) -> Job) {
        for (helper, id) in self.helpers.iter().zip(1..) {
            self.working.begin();
            helper.jobs.put(job(id));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::MAX_PLY;
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    #[test]
    fn every_helper_does_every_job_once() {
        let pool = Pool::new(5).expect("five threads");
        assert_eq!(pool.threads(), 5);
        let sum = Arc::new(AtomicUsize::new(0));
        for _ in 0..3 {
            pool.start(|id| {
                let sum = Arc::clone(&sum);
                Box::new(move |_| {
                    sum.fetch_add(id, Relaxed);
                })
            });
        }
        pool.settle();
        assert_eq!(sum.load(Relaxed), 3 * (1 + 2 + 3 + 4));
    }

    /// A helper without a thread in this process is not waited for, whatever its job.
    #[test]
    fn helpers_left_behind_are_not_waited_for() {
        let pool = Pool::new(2).expect("two threads");
        assert!(!pool.is_left_behind() && !Pool::single().is_left_behind());
        let absent = Helper { jobs: Arc::default(), thread: None };
        let pool = Pool { helpers: vec![absent], ..Pool::single() };
        assert!(pool.is_left_behind());
        pool.start(|_| Box::new(|_| {}));
        pool.settle();
        assert_eq!(*pool.working.lock(), 1, "its job is not done");
    }

    /// A search borrows its memory from the pool: it allocates none on the clock.
    #[test]
    fn searches_give_the_memory_back() {
        use crate::play::Play;
        use crate::search::{Control, HashTable, Limits, Request, search};
        use crate::smess::{Rules, Smess};
        let pool = Pool::new(1).expect("one thread");
        let memory = || pool.main_workspace().evals.as_ptr();
        let before = memory();
        let (limits, hash) = (Limits { depth: Some(3), ..Limits::default() }, Arc::new(HashTable::tiny(8)));
        let control = Arc::new(Control::new(false));
        let request = Request { pool: Some(&pool), ..Request::plain(&limits, &hash, &control) };
        assert!(search(&Play::new(Smess::new(Rules::default())), None, &request, &mut |_| {}).best.is_some());
        assert_eq!((memory(), pool.main_workspace().evals.len()), (before, MAX_PLY + 2));
    }

    #[test]
    fn a_panic_costs_no_helper() {
        let pool = Pool::new(2).expect("two threads");
        let done = Arc::new(AtomicUsize::new(0));
        pool.start(|_| Box::new(|_| panic!("a job that fails, as the test wants it")));
        pool.start(|_| {
            let done = Arc::clone(&done);
            Box::new(move |workspace| {
                workspace.reset();
                done.store(workspace.evals.len(), Relaxed);
            })
        });
        pool.settle();
        assert_eq!(done.load(Relaxed), MAX_PLY + 2);
    }

    #[test]
    fn too_many_threads_are_refused() {
        let error = Pool::new(usize::MAX).err().expect("no memory");
        assert_eq!(error.to_string(), format!("no memory for {} threads, expected fewer", usize::MAX));
    }
}
