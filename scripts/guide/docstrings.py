"""What docstrings of the Python package have that Markdown has not: roles of Sphinx, and examples without a fence."""

import re

import griffe

# :class:`millbrain.Board`, :meth:`~millbrain.Tables.probe`
ROLE = re.compile(r":(?:attr|class|data|exc|func|meth|mod):`(~?)([\w.]+)(?:\(\))?`")
# An example: from a prompt to the next empty line.
EXAMPLE = re.compile(r"^>>> .*?(?=\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)


def link(found: re.Match[str]) -> str:
    short, name = found.groups()
    return f"[`{name.rpartition('.')[2] if short else name}`][{name}]"


class Docstrings(griffe.Extension):
    """Makes both Markdown: links that the guide resolves, and blocks of code."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        if obj.docstring:
            text = re.sub(r"``(.+?)``", r"`\1`", ROLE.sub(link, obj.docstring.value))
            obj.docstring.value = EXAMPLE.sub(r"```pycon\n\g<0>\n```", text)
