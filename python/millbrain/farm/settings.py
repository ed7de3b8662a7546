"""The settings that an output was made with, in a file beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from millbrain.farm.errors import FarmError
from millbrain.farm.files import replace

#: What the file's name adds to that of the output.
SUFFIX = ".farm"


def keep(output: Path, settings: Mapping[str, str]) -> None:
    """Writes the settings of an output that is still empty, and compares those of one that is to be gone on with.

    Raises `FarmError` with the first setting that differs, or where it is not known how the output was made.
    """
    path = output.with_name(output.name + SUFFIX)
    if output.stat().st_size == 0:
        replace(path, [json.dumps(settings, indent=2).encode(), b"\n"])
        return
    if not path.exists():
        raise FarmError(f"{output}: made with unknown settings, there is no {path}; expected a new file")
    try:
        expected = dict(json.loads(path.read_bytes()))
    except (ValueError, TypeError) as error:
        raise FarmError(f"{path}: not the settings of an output ({error})") from error
    for name in {**expected, **settings}:
        found, wanted = settings.get(name, "not given"), expected.get(name, "not given")
        if found != wanted:
            raise FarmError(f"{output}: {name} is {found}, expected {wanted} as in {path}")
