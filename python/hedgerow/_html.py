"""What a notebook shows: small pieces of HTML without scripts."""

from __future__ import annotations

from html import escape
from typing import Any, Iterable, Sequence

_STYLE = (
    "<style>.hedgerow table{border-collapse:collapse}.hedgerow td,.hedgerow th{padding:2px 8px;"
    "text-align:right}.hedgerow td:first-child,.hedgerow th:first-child{text-align:left}"
    "</style>"
)


def block(*parts: str) -> str:
    return f'<div class="hedgerow">{_STYLE}{"".join(parts)}</div>'


def heading(text: str) -> str:
    return f"<p><b>{escape(text)}</b></p>"


def preformatted(text: str) -> str:
    return f"<pre>{escape(text)}</pre>"


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    head = "".join(f"<th>{escape(str(name))}</th>" for name in header)
    body = "".join(
        "<tr>" + "".join(f"<td>{cell if isinstance(cell, Raw) else escape(str(cell))}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class Raw(str):
    """A piece of HTML that is not escaped again."""


def heat(value: float, most: float) -> Raw:
    """A cell of a heat map: the darker, the more."""
    share = value / most if most > 0 else 0.0
    ink = "#fff" if share > 0.6 else "inherit"
    return Raw(
        f'<span style="display:block;padding:2px 6px;background:rgba(178,74,0,{share:.2f});color:{ink}">'
        f"{value:,.0f}</span>"
    )
