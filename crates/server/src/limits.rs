//! Permits and rates: concurrent and per-second limits, in total and per address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Addresses with stored rates before idle ones are dropped.
const MAX_ADDRESSES: usize = 4_096;

/// Returns the owner of a limit: an address, or the network of an IPv6 address, since clients choose freely within it.
fn owner(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
        address => address,
    }
}

/// Why there is no permit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoPermit {
    /// All permits are taken.
    #[error("all {0} are taken, expected to try again later")]
    All(usize),
    /// This address has taken its maximum.
    #[error("your address has taken all {0} that it may, expected to end one first")]
    Address(usize),
}

/// The taken permits: in total, and by address.
#[derive(Default)]
struct Taken {
    all: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// A limited number of permits.
pub struct Permits {
    total: usize,
    each: usize,
    taken: Mutex<Taken>,
}

/// A taken permit, released when dropped.
pub struct Permit {
    permits: Arc<Permits>,
    owner: IpAddr,
}

impl Permits {
    /// Creates permits, limited in total and per address.
    pub fn new(total: usize, each: usize) -> Arc<Permits> {
        Arc::new(Permits { total, each, taken: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of taken permits.
    pub fn taken(&self) -> usize {
        self.lock().all
    }

    /// Returns the total number of permits.
    pub fn total(&self) -> usize {
        self.total
    }

    /// Takes a permit.
    ///
    /// # Errors
    /// When none is free.
    pub fn take(self: &Arc<Permits>, address: IpAddr) -> Result<Permit, NoPermit> {
        self.take_of(address, self.each)
    }

    /// Takes a permit for a connection. A proxy may take any number. If more than half are taken, every other address
    /// has an eighth of its normal limit.
    ///
    /// # Errors
    /// When none is free.
    pub fn take_connection(self: &Arc<Permits>, address: IpAddr, is_proxy: bool) -> Result<Permit, NoPermit> {
        let is_crowded = 2 * self.taken() > self.total;
        let each = if is_crowded { self.each.div_ceil(8) } else { self.each };
        self.take_of(address, if is_proxy { usize::MAX } else { each })
    }

    fn take_of(self: &Arc<Permits>, address: IpAddr, each: usize) -> Result<Permit, NoPermit> {
        let owner = owner(address);
        let mut taken = self.lock();
        if taken.all >= self.total {
            return Err(NoPermit::All(self.total));
        }
        let own = taken.by_address.entry(owner).or_default();
        if *own >= each {
            return Err(NoPermit::Address(each));
        }
        *own += 1;
        taken.all += 1;
        Ok(Permit { permits: Arc::clone(self), owner })
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut taken = self.permits.lock();
        taken.all = taken.all.saturating_sub(1);
        if let Some(own) = taken.by_address.get_mut(&self.owner) {
            *own = own.saturating_sub(1);
            if *own == 0 {
                taken.by_address.remove(&self.owner);
            }
        }
    }
}

/// A token bucket: a rate per second, full at the start.
pub struct Bucket {
    rate: f64,
    most: f64,
    left: f64,
    filled: Instant,
}

impl Bucket {
    /// Creates a full bucket for a rate per second, with room for `seconds`.
    pub fn new(rate: u32, seconds: u32, now: Instant) -> Bucket {
        let most = f64::from(rate) * f64::from(seconds);
        Bucket { rate: rate.into(), most, left: most, filled: now }
    }

    /// Takes `count` tokens; returns `false` if there are fewer.
    pub fn take(&mut self, count: usize, now: Instant) -> bool {
        let elapsed = now.saturating_duration_since(self.filled).as_secs_f64();
        self.left = (self.left + elapsed * self.rate).min(self.most);
        self.filled = now;
        let enough = self.left >= count as f64;
        if enough {
            self.left -= count as f64;
        }
        enough
    }

    fn is_full(&self, now: Instant) -> bool {
        self.left + now.saturating_duration_since(self.filled).as_secs_f64() * self.rate >= self.most
    }
}

/// A bucket for each address.
pub struct Rates {
    rate: u32,
    seconds: u32,
    buckets: Mutex<HashMap<IpAddr, Bucket>>,
}

impl Rates {
    /// Creates buckets for a rate per second and address, with room for `seconds`.
    pub fn new(rate: u32, seconds: u32) -> Rates {
        Rates { rate, seconds, buckets: Mutex::default() }
    }

    /// Takes a token of an address; returns `false` if it has none left.
    pub fn take(&self, address: IpAddr, now: Instant) -> bool {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MAX_ADDRESSES {
            // A full bucket is equivalent to none. If all are in use, all are reset.
            buckets.retain(|_, bucket| !bucket.is_full(now));
            if buckets.len() >= MAX_ADDRESSES {
                buckets.clear();
            }
        }
        buckets.entry(owner(address)).or_insert_with(|| Bucket::new(self.rate, self.seconds, now)).take(1, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn seats_are_given_back() {
        let permits = Permits::new(3, 2);
        let [a, b] = ["1.2.3.4", "::ffff:1.2.3.4"].map(|text| text.parse::<IpAddr>().expect("an address"));
        let first = permits.take(a).expect("a permit");
        let second = permits.take(b).expect("the same address in other words");
        assert_eq!(permits.take(a).err(), Some(NoPermit::Address(2)));
        let other = permits.take("::1".parse().expect("an address")).expect("a permit");
        assert_eq!(permits.take("5.6.7.8".parse().expect("an address")).err(), Some(NoPermit::All(3)));
        assert_eq!(permits.taken(), 3);
        drop((first, other));
        assert!(permits.take(a).is_ok());
        drop(second);
        assert_eq!(permits.taken(), 0);
        assert!(permits.lock().by_address.is_empty());
    }

    #[test]
    fn a_crowd_leaves_room_for_others() {
        let permits = Permits::new(20, 16);
        let [greedy, other, proxy] =
            ["1.1.1.1", "2.2.2.2", "3.3.3.3"].map(|ip| ip.parse::<IpAddr>().expect("an address"));
        let taken: Vec<_> = (0..20).map_while(|_| permits.take_connection(greedy, false).ok()).collect();
        assert_eq!(taken.len(), 11, "until more than half are taken");
        let few: Vec<_> = (0..20).map_while(|_| permits.take_connection(other, false).ok()).collect();
        assert_eq!(few.len(), 2);
        let rest: Vec<_> = (0..20).map_while(|_| permits.take_connection(proxy, true).ok()).collect();
        assert_eq!(rest.len(), 7, "all that are left");
    }

    #[test]
    fn a_network_is_one_owner() {
        let permits = Permits::new(9, 1);
        let _permit = permits.take("2001:db8:1:2:3::4".parse().expect("an address")).expect("a permit");
        assert!(permits.take("2001:db8:1:2:ffff::".parse().expect("an address")).is_err());
        assert!(permits.take("2001:db8:1:3::".parse().expect("an address")).is_ok());
    }

    #[test]
    fn buckets_fill_again() {
        let start = Instant::now();
        let later = |ms| start + Duration::from_millis(ms);
        let mut bucket = Bucket::new(10, 2, start);
        assert!(bucket.take(15, start) && !bucket.take(6, start) && bucket.take(5, start));
        assert!(!bucket.take(1, later(50)) && bucket.take(1, later(150)));
        assert!(bucket.take(20, later(9_000)) && !bucket.take(1, later(9_000)));
        let rates = Rates::new(1, 1);
        let [a, b] = ["1.1.1.1", "2.2.2.2"].map(|text| text.parse::<IpAddr>().expect("an address"));
        assert!(rates.take(a, start) && !rates.take(a, start) && rates.take(b, start) && rates.take(a, later(1_100)));
    }
}
