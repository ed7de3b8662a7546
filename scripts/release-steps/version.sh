# shellcheck shell=bash
# The version stands in Cargo.toml. It is repeated where a file must say it for itself; these are all such places.

# Says the version, and that all files agree; or sets another: [VERSION]
version() {
    if [ $# -gt 0 ]; then
        [[ $1 =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9a-z.]+)?$ ]] || { echo "no version $1, expected one like 1.2.3" >&2 && exit 2; }
    fi
    python3 - "$version" "${1:-$version}" <<'END'
import json, re, sys, time
from pathlib import Path

old, new = sys.argv[1:]
# A file, a pattern with the version as its group, how often it is there.
PLACES = [
    ("Cargo.toml", r'^version = "(.*)"$', 1),
    ("Cargo.toml", r'^millbrain[a-z-]* = \{ version = "(.*?)"', 9),
    ("Cargo.lock", r'^name = "millbrain[a-z-]*"\nversion = "(.*)"$', 11),
    ("fuzz/Cargo.lock", r'^name = "millbrain(?:-(?!fuzz)[a-z-]*)?"\nversion = "(.*)"$', 8),
    ("benches/instructions/Cargo.lock", r'^name = "millbrain-(?!instructions)[a-z-]*"\nversion = "(.*)"$', 2),
    ("web/engine/package.json", r'^  "version": "(.*)",$', 1),
    ("web/board/package.json", r'^  "version": "(.*)",$', 1),
    ("web/page/package.json", r'^  "version": "(.*)",$', 1),
    ("web/package-lock.json", r'^      "name": "(?:@millbrain/board|millbrain(?:-page)?)",\n      "version": "(.*)",$', 3),
    ("README.md", r"^id name millbrain (.*)$", 1),
    ("protocol.md", r"default millbrain ([^ ]*),", 2),
    ("docs/server.md", r"millbrain_(.*)_amd64\.deb", 1),
    ("docs/server.md", r"millbrain-(.*)-x86_64-image", 1),
    ("docs/server.md", r"/data millbrain:(.*)$", 1),
    (".github/ISSUE_TEMPLATE/fault.yml", r"placeholder: millbrain (.*?),", 1),
]
texts, faults = {}, []
for name, pattern, count in PLACES:
    text = texts.get(name) or Path(name).read_text()
    found = [match.group(1) for match in re.finditer(pattern, text, re.M)]
    if found != [old] * count:
        faults.append(f"{name}: {found} for {pattern}, expected {old} {count} times")
    texts[name] = re.sub(pattern, lambda match: match.group().replace(match.group(1), new), text, flags=re.M)
if faults:
    sys.exit("\n".join(faults))
if new != old:
    changes = Path("CHANGELOG.md").read_text()
    heading = "## Unreleased\n"
    if changes.count(heading) != 1:
        sys.exit("CHANGELOG.md: expected one part Unreleased")
    texts["CHANGELOG.md"] = changes.replace(heading, f"{heading}\n## {new}, {time.strftime('%Y-%m-%d')}\n")
    for name, text in texts.items():
        Path(name).write_text(text)
print(new)
END
}
