"""The command line of the package is that of the engine."""

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

import millbrain
from millbrain import tables

COMMAND = [sys.executable, "-m", "millbrain"]


def run(*words: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *words], input=text, capture_output=True, text=True, timeout=120, check=False)


def test_jobs_and_their_status() -> None:
    done = run("perft", "2")
    assert done.returncode == 0 and done.stdout.endswith("Nodes searched: 552\n"), done
    assert run("--version").stdout.startswith("millbrain ")
    wrong = run("perft", "--variant", "chess", "2")
    assert wrong.returncode == 2 and "chess" in wrong.stderr and wrong.stdout == ""
    missing = run("match", "--replay", "/no/such/file")
    assert missing.returncode == 1 and missing.stderr.startswith("millbrain: ")


def test_the_command_line_begins_without_numpy() -> None:
    code = "import sys, millbrain.__main__ as m; print('numpy' in sys.modules, m.__package__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "millbrain"]


def test_all_names_of_the_package_are_there() -> None:
    assert all(hasattr(millbrain, name) for name in millbrain.__all__)
    # The extension has a class of this name too.
    assert millbrain.Tables is tables.Tables
    assert set(millbrain.__all__) <= set(dir(millbrain))
    with pytest.raises(AttributeError, match="has no attribute 'nobody'"):
        millbrain.nobody  # noqa: B018


def test_the_protocol() -> None:
    message = run(text="position startpos moves d6 f4\ngo depth 4\n")
    assert message.returncode == 0 and message.stdout.splitlines()[-1].startswith("bestmove ")


def test_the_script_is_installed() -> None:
    script = shutil.which("millbrain", path=sysconfig.get_path("scripts"))
    assert script is not None
    message = subprocess.run([script, "perft", "1"], capture_output=True, text=True, check=True)
    assert "Nodes searched: 24" in message.stdout


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_nobody_reads_the_output() -> None:
    process = subprocess.Popen([*COMMAND], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    process.stdout.close()
    process.stdin.write(b"uci\n")
    process.stdin.flush()
    assert process.wait(timeout=30) == 141
    process.stdin.close()


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_ends_the_protocol() -> None:
    process = subprocess.Popen([*COMMAND], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("go infinite\n")
    process.stdin.flush()
    assert process.stdout.readline().startswith("info depth 1 ")
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == -signal.SIGINT, "as the engine's binary is"
    process.stdin.close()
    process.stdout.close()


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_ends_a_match_in_order(tmp_path: Path) -> None:
    engine = tmp_path / "engine"
    engine.write_text(f"#!/bin/sh\nexec '{sys.executable}' -m millbrain\n")
    engine.chmod(0o755)
    journal = tmp_path / "match.jsonl"
    words = ["match", "--rounds", "50", "--save", str(journal)]
    for name in "ab":
        words += ["--engine", f"name={name}", f"cmd={engine}", "tc=60+1"]
    process = subprocess.Popen(
        [*COMMAND, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + 60
    while not (journal.exists() and journal.stat().st_size) and time.monotonic() < end and process.poll() is None:
        time.sleep(0.05)
    time.sleep(1)
    # The first interrupt waits for the running games, the second does not.
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    assert any("or at once if interrupted again" in line for line in process.stderr)
    process.send_signal(signal.SIGINT)
    output, message = process.communicate(timeout=60)
    assert process.returncode == 0 and output.startswith("Interrupted after 0 of 100 games"), (output, message)
    assert journal.read_text().startswith("{")
