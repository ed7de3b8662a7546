"""What a run does, in all that its result depends on: kept beside the output from the first part on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from millbrain.farm.errors import FarmError
from millbrain.farm.losses import Report
from millbrain.farm.parts import Parts
from millbrain.farm.places import Place


class Plan:
    """The settings of a run, and which engine, tables and input they are for.

    It is written to ``OUT.plan.json`` before anything is handed out, so that a run resumes with nothing else, and
    stays as the origin of OUT: OUT itself is what one process writes. At the end it has the losses.
    """

    def __init__(
        self,
        job: str,
        settings: Mapping[str, Any],
        engine: Mapping[str, str],
        tables: Sequence[str] = (),
        programs: Mapping[str, str] | None = None,
    ) -> None:
        """Makes a plan for a job of an `engine`; `tables` are folders, `programs` further ones with their SHA-256."""
        self._plan = {
            "job": job,
            "settings": dict(settings),
            "engine": dict(engine),
            "programs": dict(programs or {}),
            "tables": {folder: _sum(folder) for folder in tables},
        }

    def __str__(self) -> str:
        return json.dumps(self._plan, sort_keys=True)

    def begin(self, target: Place, resume: bool) -> bool:
        """Begins an output, or resumes it; returns whether it is complete already.

        Raises `FarmError` for an output that is there, or that another plan has begun; both stay as they are.
        """
        place = target.beside(".plan.json")
        is_whole = target.exists()
        is_begun = is_whole or any(name != "lock" for name in target.beside(".parts").names())
        if is_whole and not resume:
            raise FarmError(f"{target}: exists already, expected the name of a new file, or --resume")
        if is_begun and not resume:
            raise FarmError(
                f"{target}.parts: left by a run that has not ended, expected --resume, or that you delete it"
            )
        if is_begun:
            self._compare(target, place)
        else:
            self._write(place, None)
        return is_whole

    def start(self, target: Place) -> None:
        """Begins an output that may be added to by other settings: what is there is of no account."""
        target.folder().make()
        self._write(target.beside(".plan.json"), None)

    def go_on(self, target: Place) -> None:
        """Goes on with an output that has its own settings, and that one process may have begun without a plan."""
        place = target.beside(".plan.json")
        if place.exists():
            self._compare(target, place)
        else:
            self._write(place, None)

    @staticmethod
    def settings(target: Place) -> dict[str, Any]:
        """Returns the settings that an output was begun with; none if it was not."""
        place = target.beside(".plan.json")
        return dict(_read(place)["settings"]) if place.exists() else {}

    def end(self, target: Place, report: Report) -> None:
        """Adds what was lost."""
        self._write(target.beside(".plan.json"), report)

    def parts(self, target: Place) -> Parts:
        """Returns the finished parts of an output."""
        return Parts(target.beside(".parts"))

    def _write(self, place: Place, report: Report | None) -> None:
        text = {"plan": self._plan, "report": None if report is None else report.as_json()}
        place.write([json.dumps(text, indent=2, sort_keys=True).encode(), b"\n"])

    def _compare(self, target: Place, place: Place) -> None:
        """Compares this plan with the one that an output was begun by."""
        if not place.exists():
            raise FarmError(f"{target}: begun without {place}, expected an output of the farm")
        saved = _read(place)
        before, now = dict(_flat(saved)), dict(_flat(json.loads(str(self))))
        for name in sorted(before.keys() | now.keys()):
            if before.get(name) != now.get(name):
                raise FarmError(f"{target}: {name} is {now.get(name)}, expected {before.get(name)} as in {place}")


def _read(place: Place) -> Any:
    """Returns the plan in a file."""
    try:
        return json.loads(place.read())["plan"]
    except (ValueError, KeyError, TypeError) as error:
        raise FarmError(f"{place}: no plan ({error}), expected one that the farm has written") from error


def _flat(tree: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yields the leaves of a tree of objects, by their names from the root on."""
    if isinstance(tree, dict) and tree:
        for key, value in tree.items():
            yield from _flat(value, f"{name}.{key}" if name else key)
    else:
        yield name, tree


def _sum(folder: str) -> str:
    """Returns the SHA-256 of a folder's manifest, which has the sums of its files; for a server its address."""
    manifest = Path(folder, "manifest.json")
    return hashlib.sha256(manifest.read_bytes()).hexdigest() if manifest.is_file() else folder
