"""Why a run ends."""


class FarmError(Exception):
    """A run that cannot go on. The text says why."""
