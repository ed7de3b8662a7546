//! A cache on disk of the pages of a file on a host.
//!
//! A file has a fixed number of slots, and each page of the original its own: the number of the page modulo the slots.
//! A slot has a checksum of its page, whose seed is the page's number. So any number of processes can use the same file
//! without locks, a process can be killed at any time, and the size is bounded without anything being deleted.

use super::PAGE;
use etcetera::base_strategy::{BaseStrategy, choose_native_strategy};
use millbrain_files::{read_at, write_at};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// The number of slots: half a gigabyte of pages.
const SLOTS: u64 = 1 << 19;
/// The bytes of a slot.
const SLOT: u64 = 8 + PAGE;

/// A cache file.
pub(super) struct Disk(File);

/// The folder of the cache files, if the system has one for caches.
pub(super) fn folder() -> Option<PathBuf> {
    let folders = choose_native_strategy().ok()?;
    Some(folders.cache_dir().join("millbrain").join("tables"))
}

impl Disk {
    /// Opens the cache file of an address and a version of its file, and deletes those of other versions.
    pub(super) fn open(folder: &Path, address: &str, version: &str) -> io::Result<Disk> {
        fs::create_dir_all(folder)?;
        let of_address = format!("{:016x}-", xxh3_64(address.as_bytes()));
        let name = format!("{of_address}{:016x}", xxh3_64(version.as_bytes()));
        for entry in folder.read_dir()?.filter_map(Result::ok) {
            let found = entry.file_name();
            if found.to_str().is_some_and(|found| found.starts_with(&of_address) && found != name) {
                // Another process may have it open.
                let _ = fs::remove_file(entry.path());
            }
        }
        let file = File::options().read(true).write(true).create(true).truncate(false).open(folder.join(name))?;
        Ok(Disk(file))
    }

    /// Returns a page of `size` bytes.
    pub(super) fn read(&self, page: u64, size: usize) -> Option<Vec<u8>> {
        let mut slot = vec![0; 8 + size];
        read_at(&self.0, &mut slot, page % SLOTS * SLOT).ok()?;
        let bytes = slot.split_off(8);
        (slot == sum(page, &bytes)).then_some(bytes)
    }

    /// Writes a page. A full disk only costs fetching it again.
    pub(super) fn write(&self, page: u64, bytes: &[u8]) {
        let slot = [&sum(page, bytes)[..], bytes].concat();
        let _ = write_at(&self.0, &slot, page % SLOTS * SLOT);
    }

    /// Forgets all pages, those of other processes too.
    pub(super) fn clear(&self) {
        let _ = self.0.set_len(0);
    }
}

fn sum(page: u64, bytes: &[u8]) -> [u8; 8] {
    xxh3_64_with_seed(bytes, page).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_come_back_unless_anything_is_wrong_with_them() {
        let folder = std::env::temp_dir().join(format!("millbrain-disk-{}", std::process::id()));
        let open = |version| Disk::open(&folder, "http://example.org/a.mbt", version).expect("a cache file");
        let (one, other) = (vec![1; PAGE as usize], vec![2; 9]);
        let disk = open("\"a\"");
        disk.write(5, &one);
        disk.write(SLOTS + 7, &other);
        for disk in [disk, open("\"a\"")] {
            assert_eq!(disk.read(5, one.len()), Some(one.clone()));
            assert_eq!(disk.read(SLOTS + 7, 9), Some(other.clone()));
            for (page, size) in [(4, 9), (6, 9), (7, 9), (5, 9), (SLOTS + 5, PAGE as usize), (SLOTS + 7, 8), (90, 9)] {
                assert_eq!(disk.read(page, size), None, "{page}");
            }
            // Half of a page, as of a process that was killed.
            disk.write(SLOTS + 5, &other[..4]);
            disk.write(5, &one);
        }
        open("\"a\"").clear();
        assert_eq!(open("\"a\"").read(5, one.len()), None);
        let neighbour = Disk::open(&folder, "http://example.org/b.mbt", "").expect("a cache file");
        neighbour.write(1, &other);
        assert_eq!(open("\"b\"").read(5, one.len()), None, "another version");
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 2, "the first version has gone");
        fs::remove_dir_all(folder).expect("removed");
    }
}
