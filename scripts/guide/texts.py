"""The texts of the repository as pages of the guide. As a program it changes a text that another file repeats, such as the
metadata of a package, to one that stands alone: TEXT FILE."""

import os
import re
import subprocess
import sys
from pathlib import Path
from posixpath import dirname, join, normpath, relpath

ROOT = Path(__file__).resolve().parent.parent.parent
NAV = "scripts/guide/mkdocs.yml"
# Texts that have another name in the guide, whose own start is index.md.
RENAMED = {"README.md": "overview.md", "scripts/guide/start.md": "index.md"}
EXAMPLE = r"^ *```.*?^ *```$"
LINES = re.DOTALL | re.MULTILINE
# A link or picture, or code, in which there are none.
LINK = re.compile(rf"(?P<code>{EXAMPLE}|`[^`]*`)|(?P<label>!?\[(?:[^][`]|`[^`]*`)*\])\((?P<target>[^()\s]+)\)", LINES)


def git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def tracked() -> list[str]:
    """The files that git knows."""
    return git("ls-files", "-z").split("\0")[:-1]


def repository() -> str:
    found = re.search(r'^repository = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)
    return os.environ.get("MILLBRAIN_REPOSITORY") or (found[1] if found else "")


def alone(file: str) -> str:
    """A text without the files beside it: links and pictures lead to the sources, or are left out where these have no address."""

    def link(found: re.Match[str]) -> str:
        label, target = found["label"], found["target"]
        if found["code"] or re.match(r"[a-z]+:", target):
            return found[0]
        if not repository() or target.startswith("#"):
            return "" if label.startswith("!") else label[1:-1]
        kind = "raw" if label.startswith("!") else "blob"
        return f"{label}({repository()}/{kind}/{git('rev-parse', 'HEAD').strip()}/{normpath(join(dirname(file), target))})"

    return LINK.sub(link, (ROOT / file).read_text())


def anchors(text: str) -> set[str]:
    """Those that a forge gives the headings of a text."""
    names: set[str] = set()
    for heading in re.findall(r"^#{1,6} +(.*)", re.sub(EXAMPLE, "", text, flags=LINES), re.MULTILINE):
        words = LINK.sub(lambda found: found["code"] or found["label"], heading)
        name = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        number = sum(1 for known in names if re.fullmatch(rf"{re.escape(name)}(-\d+)?", known))
        names.add(f"{name}-{number}" if number else name)
    return names


class Texts:
    """All texts of the repository as pages of the guide: each link leads to a page, to the sources, or is no link."""

    def __init__(self) -> None:
        self.files = set(tracked())
        self.folders = {folder for file in self.files for folder in map(str, Path(file).parents)}
        self.sources = {file: (ROOT / file).read_text() for file in sorted(self.files) if file.endswith(".md")}
        self.anchors = {file: anchors(text) for file, text in self.sources.items()}
        self.faults: list[str] = []
        self.pictures: set[str] = set()
        self.repository, self.commit = repository(), git("rev-parse", "HEAD").strip()
        self.pages = {RENAMED.get(file, file): self.page(file) for file in self.sources}
        places = re.findall(r"`((?:crates|python|scripts|src|web)/[a-z0-9_./-]+)`", self.sources["CONTRIBUTING.md"])
        gone = [place for place in places if place.rstrip("/") not in self.files | self.folders]
        self.faults += [f"CONTRIBUTING.md: {place} is not there, expected a file or folder" for place in gone]
        nav = (ROOT / NAV).read_text().partition("\nnav:")[2].partition("\n\n")[0]
        listed = re.findall(r"[\w./-]+\.md\b", nav)
        self.apis = [page for page in listed if page.startswith("api/")]
        missing = [page for page in self.pages if page not in listed]
        self.faults += [f"{page} is in no part of the guide, expected it in {NAV}" for page in missing]
        unknown = [page for page in listed if page not in self.pages and page not in self.apis]
        self.faults += [f"{NAV} has {page}, expected a text of the repository" for page in unknown]

    def page(self, file: str) -> str:
        made = lambda found: found["code"] or self.link(file, found["label"], found["target"])
        return LINK.sub(made, self.sources[file])

    def link(self, file: str, label: str, target: str) -> str:
        page = RENAMED.get(file, file)
        # The start has its place at the root, beside what is no text.
        beside = page if page == "index.md" else file
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target) or (page == "index.md" and path.startswith(("api/", "../"))):
            return f"{label}({target})"
        if page == "index.md":
            path = {new: old for old, new in RENAMED.items()}.get(path, path)
        to = normpath(join(dirname(beside), path)) if path else file
        if to not in self.files and to not in self.folders:
            self.faults.append(f"{file}: {target} leads nowhere, expected a file of the repository")
        elif anchor and anchor not in self.anchors.get(to, ()):
            self.faults.append(f"{file}: {target} leads nowhere, expected a heading of {to}")
        if to in self.sources:
            where = relpath(RENAMED.get(to, to), dirname(page) or ".")
            return f"{label}({where}{'#' if anchor else ''}{anchor})"
        if label.startswith("!"):
            self.pictures.add(to)
            return f"{label}({relpath(to, dirname(page) or '.')})"
        if self.repository:
            return f"{label}({self.repository}/{'blob' if to in self.files else 'tree'}/{self.commit}/{to})"
        return label[1:-1]


if __name__ == "__main__":
    text, file = sys.argv[1:]
    whole = Path(file).read_text()
    if (ROOT / text).read_text() not in whole:
        sys.exit(f"{file} does not repeat {text}")
    Path(file).write_text(whole.replace((ROOT / text).read_text(), alone(text)))
