//! Memory figures from the files of the system; there are none except on Linux.

use std::fs::read_to_string;
use std::path::Path;

/// The limits of a process on its memory, each with its current use.
const LIMITS: [(&str, &str); 2] = [("Max address space", "VmSize:"), ("Max data size", "VmData:")];

/// Returns the bytes of memory that the process can get without swapping, if the system reports them.
pub fn available_memory() -> Option<u64> {
    let (limits, used) = (read_to_string("/proc/self/limits").ok(), read_to_string("/proc/self/status").ok());
    let own = limits.zip(used).and_then(|(limits, used)| within_limits(&limits, &used));
    let groups = groups().into_iter().map(|group| group.free);
    kib("/proc/meminfo", "MemAvailable:").into_iter().chain(own).chain(groups).min()
}

/// Returns the bytes of memory of the machine, or of the container that the program runs in, if the system reports
/// them.
pub fn total_memory() -> Option<u64> {
    kib("/proc/meminfo", "MemTotal:").into_iter().chain(groups().into_iter().map(|group| group.limit)).min()
}

fn kib(file: &str, name: &str) -> Option<u64> {
    kib_of(&read_to_string(file).ok()?, name)
}

/// Parses the bytes on a line such as `MemTotal: 24 kB`.
fn kib_of(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// Returns the memory that the limits of a process leave it, by the texts of `/proc/self/limits` and
/// `/proc/self/status`.
fn within_limits(limits: &str, used: &str) -> Option<u64> {
    let left = |(limit, size)| {
        let line = limits.lines().find_map(|line| line.strip_prefix(limit))?;
        // The soft limit, then the hard one; "unlimited" without.
        let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
        Some(limit.saturating_sub(kib_of(used, size)?))
    };
    LIMITS.into_iter().filter_map(left).min()
}

/// A control group with limited memory: a process that uses more is killed even if the machine has more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Group {
    limit: u64,
    free: u64,
}

/// Returns the groups of this process that have a limit.
fn groups() -> Vec<Group> {
    let own = read_to_string("/proc/self/cgroup").unwrap_or_default();
    groups_of(Path::new("/sys/fs/cgroup"), &own)
}

/// Returns the groups listed in `/proc/self/cgroup`, in this folder, each within the next.
fn groups_of(root: &Path, own: &str) -> Vec<Group> {
    let hierarchy = |line: &str| {
        let mut fields = line.splitn(3, ':');
        let (_, kind, path) = (fields.next()?, fields.next()?, fields.next()?);
        let root = match kind {
            "" => root.to_path_buf(),
            _ if kind.split(',').any(|kind| kind == "memory") => root.join("memory"),
            _ => return None,
        };
        Some((root, path.trim_matches('/').to_string()))
    };
    let folders = own.lines().filter_map(hierarchy).flat_map(|(root, path)| {
        // In a container the path may be that of its host; the root is then its own group.
        let inner: Vec<_> = Path::new(&path).ancestors().map(|path| root.join(path)).collect();
        inner
    });
    folders.filter_map(|folder| group(&folder)).collect()
}

/// Returns a group, in the second version of control groups or in the first, if it has a limit.
fn group(folder: &Path) -> Option<Group> {
    const FILES: [[&str; 3]; 2] = [
        ["memory.max", "memory.current", "inactive_file "],
        ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "],
    ];
    FILES.iter().find_map(|[limit, used, cache]| {
        let number = |name: &str| read_to_string(folder.join(name)).ok()?.trim().parse::<u64>().ok();
        let limit = number(limit)?;
        // Files cached by the system give way.
        let stat = read_to_string(folder.join("memory.stat")).unwrap_or_default();
        let cache = stat.lines().find_map(|line| line.strip_prefix(cache)?.trim().parse().ok()).unwrap_or(0);
        let used = number(used).unwrap_or(0).saturating_sub(cache);
        Some(Group { limit, free: limit.saturating_sub(used) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_least_of_the_limits_of_a_process_counts() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max data size             4096                 unlimited            bytes     \n\
                      Max address space         614400               614400               bytes     \n";
        let used = "Name:\tx\nVmSize:\t     100 kB\nVmData:\t       1 kB\n";
        assert_eq!(within_limits(limits, used), Some(3072));
        let one = limits.replace("4096     ", "unlimited");
        assert_eq!(within_limits(&one, used), Some(500 << 10));
        assert_eq!(within_limits(&one, "VmSize: 700 kB"), Some(0));
        assert_eq!(within_limits(&one.replace("614400", "unlimited"), used), None);
    }

    #[test]
    fn groups_have_what_is_not_used_of_their_limits() {
        let root = std::env::temp_dir().join(format!("millbrain-groups-{}", std::process::id()));
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).and_then(|()| fs::write(path, text)).expect("written");
        };
        write("slice/memory.max", "1000\n");
        write("slice/memory.current", "900\n");
        write("slice/memory.stat", "anon 1\ninactive_file 300\nactive_file 7\n");
        write("slice/job/memory.max", "max\n");
        write("memory/memory.limit_in_bytes", "9223372036854771712\n");
        write("memory/docker/memory.limit_in_bytes", "500\n");
        write("memory/docker/memory.usage_in_bytes", "600\n");
        let found = groups_of(&root, "3:cpu:/slice\n0::/slice/job\n");
        assert_eq!(found, [Group { limit: 1000, free: 400 }]);
        let old = groups_of(&root, "4:cpu,memory:/docker/gone\n");
        assert_eq!(old.iter().map(|group| (group.limit, group.free)).min(), Some((500, 0)));
        assert_eq!(groups_of(&root, "0::/\n"), []);
        assert_eq!(groups_of(&root, ""), []);
        fs::remove_dir_all(root).expect("removed");
    }
}
