"""Whether what is in the archive of a program, or in a wheel, belongs together, and to this commit: the list of the crates that it is
made of, their licences, the texts of the repository. Usage: contents.py FOLDER VERSION, where it was unpacked."""

import json
import re
import sys
import tomllib
import zlib
from pathlib import Path

folder, version = Path(sys.argv[1]), sys.argv[2]


def expect(what: str, faults: set[str]) -> None:
    if faults:
        sys.exit(f"{folder}: {what}: {', '.join(sorted(faults))}")


def found(pattern: str) -> Path:
    return next(folder.glob(pattern), None) or sys.exit(f"{folder} has no {pattern}")


# Crates by name and version: all, and those of them that only run while others are built.
crates: set[str] = set()
build: set[str] = set()


def of_program(program: Path) -> None:
    """What cargo-auditable wrote: a zlib stream, found here in ELF, PE and Mach-O alike."""
    data = program.read_bytes()
    for start in re.finditer(rb"\x78[\x01\x5e\x9c\xda]", data):
        try:
            listed = json.loads(zlib.decompressobj().decompress(data[start.start() :]))["packages"]
        except (zlib.error, ValueError, TypeError, KeyError):
            continue
        for crate in listed:
            crates.add(name := f"{crate['name']} {crate['version']}")
            if crate.get("kind") == "build":
                build.add(name)
        return
    sys.exit(f"{program} does not list its crates")


def of_wheel(listed: Path) -> None:
    """What maturin wrote, in CycloneDX, with addresses that begin at the root of the repository."""
    text = listed.read_text()
    expect("folders of this machine", set(re.findall(r"file:///[^#\"]*", text)))
    bom = json.loads(text)
    for crate in [bom["metadata"]["component"], *bom["components"]]:
        crates.add(name := f"{crate['name']} {crate['version']}")
        if crate.get("scope") == "excluded":
            build.add(name)


wheel = next(folder.glob("*.dist-info"), None)
if wheel:
    of_wheel(found("*.dist-info/sboms/*.cyclonedx.json"))
else:
    of_program(found("millbrain.exe" if (folder / "millbrain.exe").exists() else "millbrain"))
own = {crate for crate in crates if crate.startswith("millbrain")}
expect(f"crates of its own, expected those of version {version}", {crate for crate in own if not crate.endswith(f" {version}")})
locked = tomllib.loads(Path("Cargo.lock").read_text())["package"]
expect("crates that Cargo.lock has not", crates - {f"{crate['name']} {crate['version']}" for crate in locked})

# What only runs while others are built leaves nothing there, unless it writes code; its licence may be reported too.
entries = found("**/LICENSES-OF-CRATES.txt").read_text().split("=" * 80 + "\n")
titled = filter(None, (re.match(r"(\S+ \d\S*) - .*\n", entry) for entry in entries))
licences = {title[1]: title.string[title.end() :].strip() for title in titled}
expect("crates without a licence", crates - build - own - set(licences))
expect("licences of crates that are not in it", set(licences) - crates)
expect("licences without their text", {crate for crate, text in licences.items() if not text})

texts = ["LICENSE-MIT", "LICENSE-APACHE"] + ([] if wheel else ["README.md", "CHANGELOG.md", "protocol.md"])
expect("texts of another commit", {text for text in texts if found(f"**/{text}").read_bytes() != Path(text).read_bytes()})
print(f"made of {len(crates)} crates, {len(crates - own)} of them from the registry; {len(licences)} licences; texts of this commit")
