"""Why a run ends."""


class FarmError(Exception):
    """A run that cannot continue. The text is the reason."""
