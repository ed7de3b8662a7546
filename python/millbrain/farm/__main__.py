"""The command line of the farm."""

from __future__ import annotations

import argparse
import logging
import math
import signal
import sys
from collections.abc import Sequence

from millbrain.farm.errors import FarmError
from millbrain.farm.farm import Farm
from millbrain.farm.jobs import JOBS
from millbrain.farm.losses import Policy
from millbrain.farm.program import JobFailed, ProgramError


def parser() -> argparse.ArgumentParser:
    """Returns the options of the farm itself; all that follows the job is for the engine."""
    found = argparse.ArgumentParser(
        prog="python -m millbrain.farm",
        description="Run a job of the engine in parts on the workers of a Dask cluster.",
        epilog="WORDS are those of 'millbrain JOB'; files are of this machine, or addresses such as s3://BUCKET/NAME.",
    )
    where = found.add_mutually_exclusive_group()
    where.add_argument("--scheduler", metavar="ADDRESS", help="a Dask scheduler, such as tcp://10.0.0.1:8786")
    where.add_argument(
        "--workers", metavar="N", type=_count, help="processes on this machine; default: one for the cores of a part"
    )
    found.add_argument(
        "--worker-timeout",
        metavar="SECONDS",
        type=_seconds,
        default=Policy.worker_timeout,
        help="without workers for so long, the run is given up; default: %(default)g",
    )
    found.add_argument(
        "--attempts",
        metavar="K",
        type=_count,
        default=Policy.attempts,
        help="a part that was lost so often is set aside; default: %(default)d",
    )
    found.add_argument("--program", metavar="PROGRAM", help="the engine; default: that of this package")
    found.add_argument("job", choices=list(JOBS), metavar="JOB", help="match, analyse, tablebase or tune")
    found.add_argument("words", nargs=argparse.REMAINDER, metavar="WORDS", help="what the job is to do")
    return found


def _count(text: str) -> int:
    """Returns a number from 1."""
    if not (text.isdecimal() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} unusable, expected a number from 1")
    return int(text)


def _seconds(text: str) -> float:
    """Returns a time to wait for."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not seconds >= 0:
        raise argparse.ArgumentTypeError(f"{text!r} unusable, expected seconds from 0")
    return seconds


def main(words: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the status to exit with."""
    options = parser().parse_args(words)
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    logging.getLogger("millbrain.farm").setLevel(logging.INFO)
    # The farm reports losses itself, in one line.
    for name in ("distributed", "distributed.client", "tornado.application"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    # A supervisor's request to end is like that of the keyboard: the jobs on the workers are to end too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        policy = Policy(attempts=options.attempts, worker_timeout=options.worker_timeout)
        farm = Farm(options.scheduler, options.workers, options.program, policy=policy)
        try:
            with farm:
                farm.run(options.job, *options.words)
        except KeyboardInterrupt:
            print(f"interrupted; {farm.resume}", file=sys.stderr)
            return 130
    except (FarmError, JobFailed, ProgramError, OSError) as error:
        text = str(error) or type(error).__name__
        print(f"millbrain.farm: {text.removeprefix('millbrain: ')}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
