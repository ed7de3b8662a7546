"""The exceptions of the package. Their text is the engine's: what is wrong, then what was expected."""


class Error(Exception):
    """The base of all exceptions of the package."""


class OptionError(Error, ValueError):
    """An option or a limit that does not exist, or a value that it cannot have."""


class RulesError(OptionError):
    """A variant or a house rule that does not exist, or a value that it cannot have."""


class InvalidFenError(Error, ValueError):
    """A FEN that describes no position; all its faults are named."""


class InvalidPositionError(Error, ValueError):
    """Numbers of an array that describe no position; the first such row is named, counted from 0."""


class InvalidMoveError(Error, ValueError):
    """A text that is no move of any position."""


class IllegalMoveError(Error, ValueError):
    """A move that cannot be played in this position."""


class RecordError(Error, ValueError):
    """A text that is no game record, or a record of a game that cannot have been played so."""


class RecordWarning(UserWarning):
    """A game of a text that is left out, or what a form of games has no place for."""


class TablesError(Error, ValueError):
    """A folder without usable tables, or a sector that does not exist."""


class MissingTableError(TablesError, KeyError):
    """A position that is in no table."""

    def __str__(self) -> str:
        # A KeyError would show the text in quotes.
        return ValueError.__str__(self)


class BookError(Error, ValueError):
    """A file that cannot be read, or is no whole opening book."""


class EngineError(Error, RuntimeError):
    """The engine cannot search: it searches already, is closed, lacks memory or threads, or is a program that fails."""
