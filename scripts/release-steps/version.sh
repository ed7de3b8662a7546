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
    ("Cargo.toml", r'^millbrain[a-z-]* = \{ version = "(.*?)"', 12),
    ("Cargo.lock", r'^name = "millbrain[a-z-]*"\nversion = "(.*)"$', 15),
    ("fuzz/Cargo.lock", r'^name = "millbrain(?:-(?!fuzz)[a-z-]*)?"\nversion = "(.*)"$', 11),
    ("benches/instructions/Cargo.lock", r'^name = "millbrain-(?!instructions)[a-z-]*"\nversion = "(.*)"$', 4),
    ("web/engine/package.json", r'^  "version": "(.*)",$', 1),
    ("web/engine/package.json", r'^    "@millbrain/packs": "(.*)"$', 1),
    ("web/packs/package.json", r'^  "version": "(.*)",$', 1),
    ("web/board/package.json", r'^  "version": "(.*)",$', 1),
    ("web/page/package.json", r'^  "version": "(.*)",$', 1),
    ("web/package-lock.json", r'^      "name": "(?:@millbrain/(?:board|packs)|millbrain(?:-page)?)",\n      "version": "(.*)",$', 4),
    ("web/package-lock.json", r'^        "@millbrain/packs": "(.*)"$', 1),
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

# Says where the repository is, or writes it into the manifest of every package: [URL]
address() {
    python3 - "${1:-}" <<'END'
import re, sys
from pathlib import Path

url = sys.argv[1].rstrip("/")
root = Path("Cargo.toml")
found = re.search(r'^repository = "(.*)"\n', root.read_text(), re.M)
if not url:
    print(found[1] if found else "no address, expected scripts/release address URL before something is published")
    sys.exit()
if not re.fullmatch(r"https://[\w.-]+(/[\w.-]+)+", url):
    sys.exit(f"no address {url}, expected one such as https://HOST/OWNER/NAME")


def write(file, after, old, new):
    """Writes a line after another one, in the place of the one that is there."""
    text = re.sub(old, "", file.read_text(), flags=re.M)
    text, count = re.subn(after, lambda line: line[0] + new, text, count=1, flags=re.M)
    if not count:
        sys.exit(f"{file}: no line {after}")
    file.write_text(text)


write(root, r'^license = ".*"\n', r'^repository = ".*"\n', f'repository = "{url}"\n')
for manifest in [root, Path("python/Cargo.toml"), *sorted(Path("crates").glob("*/Cargo.toml"))]:
    write(manifest, r"^license\.workspace = true\n", r"^repository\.workspace = true\n", "repository.workspace = true\n")
write(Path("python/pyproject.toml"), r"^keywords = .*\n", r"^urls = .*\n", f'urls = {{ Repository = "{url}" }}\n')
for name in ("engine", "board"):
    there = f'{{ "type": "git", "url": "git+{url}.git", "directory": "web/{name}" }}'
    write(Path(f"web/{name}/package.json"), r'^  "license": ".*",\n', r'^  "repository": .*\n', f'  "repository": {there},\n')
END
}
