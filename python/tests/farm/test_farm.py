"""Jobs of the farm give what one process gives."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from urllib.request import urlopen

import psutil
import pytest
from distributed import Client, LocalCluster
from running import PROGRAM, Engine, run_farm, table, without_times

from millbrain.farm import Farm, FarmError, JobFailed, worker
from millbrain.farm.__main__ import main
from millbrain.farm.jobs import JOBS, analyse, match, tablebase, tune

#: Any port for what a scheduler serves by HTTP.
ANY_PORT = {"dashboard_address": "127.0.0.1:0"}


def test_analysis(farm: Farm, engine: Engine, positions: Path, tmp_path: Path) -> None:
    words = [str(positions), "--nodes", "2000", "--multipv", "2", "--no-time"]
    expected = engine.run("analyse", *words, cwd=tmp_path)
    out = tmp_path / "out"
    farm.run("analyse", str(positions), nodes=2000, multipv=2, no_time=True, out=out)
    assert out.read_text() == expected
    with pytest.raises(FarmError, match="exists already"):
        analyse.run(farm, [*words, "--out", str(out)])
    # All is there.
    analyse.run(farm, [*words, "--out", str(out), "--resume"])
    assert out.read_text() == expected


def test_self_play(farm: Farm, engine: Engine, tmp_path: Path) -> None:
    words = ["play", "--variant", "smess", "--games", "50", "--nodes", "100", "--seed", "3"]
    engine.run("tune", *words, "--out", "alone", cwd=tmp_path)
    tune.run(farm, [*words, "--out", str(tmp_path / "farm")])
    assert (tmp_path / "farm").read_bytes() == (tmp_path / "alone").read_bytes()
    assert not (tmp_path / "farm.parts").exists()


def test_tables(farm: Farm, engine: Engine, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["tablebase", "build", "--sectors", "4-4,5-3", "--out", "alone"]
    engine.run(*words, cwd=tmp_path)
    folder = tmp_path / "farm"
    tablebase.run(farm, ["build", "--sectors", "4-4,5-3", "--out", str(folder)])
    built = capsys.readouterr().out
    assert sorted(line.split("  ")[0] for line in built.splitlines()) == ["3-3", "4-3 3-4", "4-4", "5-3 3-5"]
    alone = [path for path in (tmp_path / "alone").iterdir() if path.is_file()]
    assert len(alone) == 11
    for path in alone:
        assert (folder / path.name).read_bytes() == path.read_bytes(), path.name
    tablebase.run(farm, ["verify", str(folder), "--sectors", "3-3..4-4"])
    assert capsys.readouterr().out.splitlines() == [
        f"{sector:8} {slots:>11} of {slots:>11} slots checked, all right"
        for sector, slots in [("3-3", 210140), ("4-3", 862980), ("3-4", 945630), ("4-4", 3667665)]
    ]
    damaged = folder / "4-4.dtw"
    content = bytearray(damaged.read_bytes())
    content[-3] ^= 8
    damaged.write_bytes(content)
    with pytest.raises(JobFailed, match="4-4.dtw: damaged block"):
        tablebase.run(farm, ["verify", str(folder), "--sectors", "3-3..4-4", "--resume"])


def play(farm: Farm, folder: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Plays a match on the farm; what it prints."""
    files = ["--record", str(folder / "record"), "--json", str(folder / "json"), "--save", str(folder / "journal")]
    match.run(farm, [*words, *files])
    return capsys.readouterr().out


# A sequential test decides long before its last game, however far workers are ahead of who asks it.
@pytest.mark.parametrize(("rounds", "test"), [(25, []), (250, ["--sprt", "elo0=0", "elo1=400"])], ids=["all", "sprt"])
def test_match(
    farm: Farm, engine: Engine, tmp_path: Path, capsys: pytest.CaptureFixture[str], rounds: int, test: list[str]
) -> None:
    words = engine.match("--rounds", str(rounds), *test)
    expected = engine.run("match", *words, "--record", "record", "--json", "json", cwd=tmp_path)
    folder = tmp_path / "farm"
    folder.mkdir()
    out = play(farm, folder, words, capsys)
    assert table(out) == table(expected)
    assert (folder / "json").read_text() == (tmp_path / "json").read_text()
    assert without_times((folder / "record").read_text()) == without_times((tmp_path / "record").read_text())
    games = len((folder / "journal").read_text().splitlines()) - 1
    assert games <= 2 * rounds
    if test:
        assert json.loads((folder / "json").read_text())["sprt"]["decision"] is not None
        # It has ended everywhere, not only in the table.
        assert games < 2 * rounds
        jobs = psutil.Process().children(recursive=True)
        assert not [job for job in jobs if "--end-with-input" in job.cmdline()]


def test_a_cluster_that_is_there_already(engine: Engine, positions: Path, tmp_path: Path) -> None:
    words = [str(positions), "--depth", "3", "--no-time"]
    with LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None) as cluster:
        where = ["--scheduler", str(cluster.scheduler_address)]
        status, _, complaints = run_farm("analyse", *words, "--out", "out", cwd=tmp_path, where=where)
        assert status == 0, complaints
        # It stays for the next client.
        assert cluster.scheduler_info["workers"]
    assert (tmp_path / "out").read_text() == engine.run("analyse", *words, cwd=tmp_path)


def test_what_cannot_be_done_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "positions").write_text("\n")
    monkeypatch.chdir(tmp_path)
    own = ["--program", PROGRAM] if PROGRAM else []
    for words, message in [
        (["analyse", "positions", "--out", "o"], "no limit, expected --depth, --nodes, --movetime or --mate"),
        (["analyse", "positions", "--out", "o", "--depth", "x"], "invalid value 'x' for '--depth <DEPTH>'"),
        (["analyse", "--depth", "1"], "analyse unusable without files, expected FILE --out OUT"),
        (["analyse", "none", "--out", "o", "--depth", "1"], "No such file"),
        (["tune", "fit"], "tune fit unusable, expected 'tune play'"),
        (["tune", "--out", "o"], "no parameters to tune, expected as --program what scripts/train/spsa builds"),
        (["tablebase", "stats"], "expected 'tablebase build' or 'tablebase verify'"),
        (["match", "--rounds", "2"], "0 engines, expected two or more times --engine"),
        (["match", "--shard", "1/2"], "--shard unusable here"),
        (["match", "--resume", "none"], "none: no such file"),
    ]:
        # Not a process for each: it takes a second to start.
        assert main([*own, *words]) == 1
        out, complaints = capsys.readouterr()
        last = complaints.strip().splitlines()[-1]
        assert out == "" and last.startswith("millbrain.farm: "), complaints
        assert message in last
    assert not (tmp_path / "o").exists()


JOB_WORDS = {
    "analyse": ["positions", "--out", "o", "--depth", "1"],
    "match": ["--engine", "name=a", "cmd=a", "--engine", "name=b", "cmd=b", "--each", "nodes=1"],
    "tablebase": ["build", "--variant", "smess", "--out", "o"],
    "tune": ["play", "--games", "1", "--out", "o"],
}


def test_clusters_and_programs_that_are_none_are_said_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "positions").write_text("3/3/3/6/3/3/3 w 9 9 0 1\n")
    monkeypatch.chdir(tmp_path)
    assert set(JOB_WORDS) == set(JOBS), "each job is tried"
    addresses = [
        "",
        "nonsense",
        "h:x",
        "tcp://:1",
        "tcp://h:0",
        "tcp://h:65536",
        "http://h:1",
        "tcp://h",
        "inproc://1/2",
    ]
    programs = ["/bin/true", "/bin/echo", "/bin/false", "/", "/no/such/program"]
    where = [("--scheduler", address) for address in addresses] + [("--program", program) for program in programs]
    for option, value in where:
        for job, words in JOB_WORDS.items():
            assert main([option, value, job, *words]) == 1
            out, complaints = capsys.readouterr()
            (line,) = complaints.splitlines()
            named = repr(value) if option == "--scheduler" else value
            assert out == "" and line.startswith("millbrain.farm: ") and named in line, (option, value, job, complaints)
    assert [path.name for path in tmp_path.iterdir()] == ["positions"]


def test_all_must_run_the_same_program(farm: Farm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = farm.job()
    assert worker.check(job) is None
    other = worker.Job(job.run, job.program, "0" * 64, job.folder)
    assert "as on the coordinator" in str(worker.check(other))
    # Processes of this machine do what no other would.
    farm.job(cores=999)
    assert farm.slots() == 2 and not farm.is_declared
    script = tmp_path / "engine"
    shutil.copy("/bin/true", script)
    farm.job([str(script)])
    # Where no worker has the same, the run fails at once.
    monkeypatch.setattr(worker, "check", lambda job: "another engine")
    with (
        LocalCluster(n_workers=1, processes=False, dashboard_address=None, scheduler_kwargs=ANY_PORT) as cluster,
        Client(cluster) as client,
        Farm(client=client, program=PROGRAM) as another,
        pytest.raises(FarmError, match="^worker .*: another engine$"),
    ):
        another.job()


def test_the_dashboard_is_there_where_bokeh_is(farm: Farm) -> None:
    pytest.importorskip("bokeh", reason="the dashboard needs it")
    assert farm.local is not None or farm.threads()
    assert farm.local is not None
    with urlopen(farm.local.cluster.dashboard_link) as page:
        assert b"Dask" in page.read()
