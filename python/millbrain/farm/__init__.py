"""Matches, analyses, tablebases and self-play on many machines, by Dask.

``python -m millbrain.farm JOB WORDS...`` runs a job of the engine with the words of its command line, cut into parts
that the workers of a Dask cluster take one by one. The result is that of one process. docs/scale.md is the guide.
"""

from millbrain.farm.errors import FarmError
from millbrain.farm.farm import Farm
from millbrain.farm.losses import Cause, Policy, Report
from millbrain.farm.program import JobFailed, ProgramError

__all__ = ["Cause", "Farm", "FarmError", "JobFailed", "Policy", "ProgramError", "Report"]
