"""The jobs of the farm by name."""

from millbrain.farm.jobs import analyse, match, tablebase, tune

JOBS = {"analyse": analyse.run, "match": match.run, "tablebase": tablebase.run, "tune": tune.run}
