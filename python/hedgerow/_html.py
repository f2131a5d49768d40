"""What a notebook shows: small pieces of HTML without scripts."""

from __future__ import annotations

from html import escape
from typing import Any, Iterable, Mapping, Sequence

# The parts of a report bring a style sheet of their own, so these tables have another class name.
_STYLE = (
    "<style>.hedgerow-box table{border-collapse:collapse}"
    ".hedgerow-box td,.hedgerow-box th{padding:2px 8px;text-align:left}"
    ".hedgerow-box .number{text-align:right}.hedgerow-box pre{white-space:pre-wrap}"
    ".hedgerow-box .tree{max-height:32em;overflow:auto}"
    ".hedgerow-box details,.hedgerow-box .leaf{margin-left:1.2em}"
    ".hedgerow-box .leaf{padding-left:1em}.hedgerow-box summary{cursor:pointer}"
    ".hedgerow-box small{opacity:.65}</style>"
)
_TREE_MOST = 5000  # nodes of a tree; more make a notebook slow


def block(*parts: str) -> str:
    return f'<div class="hedgerow-box">{_STYLE}{"".join(parts)}</div>'


def heading(text: str) -> str:
    return f"<p><b>{escape(text)}</b></p>"


def preformatted(text: str) -> str:
    return f"<pre>{escape(text)}</pre>"


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table; columns of numbers are aligned on the right."""
    cells = [list(row) for row in rows]
    number = [all(_is_number(row[at]) for row in cells) for at in range(len(header))]

    def line(tag: str, row: Sequence[Any]) -> str:
        return "<tr>" + "".join(
            f"<{tag}{' class=number' if number[at] else ''}>"
            f"{cell if isinstance(cell, Raw) else escape(str(cell))}</{tag}>"
            for at, cell in enumerate(row)
        ) + "</tr>"

    body = "".join(line("td", row) for row in cells)
    return f"<table><thead>{line('th', header)}</thead><tbody>{body}</tbody></table>"


def _is_number(cell: Any) -> bool:
    if isinstance(cell, (int, float, Raw)):
        return True
    digits: str = cell.replace(",", "").replace(".", "", 1)
    return cell == "" or digits.isdigit()


def tree(nodes: Sequence[Mapping[str, Any]]) -> str:
    """Nodes of a hierarchy, each before its children, as an outline that unfolds."""
    parts = []
    for at, node in enumerate(nodes[:_TREE_MOST]):
        label = escape(node["label"]) or "(empty)"
        after = nodes[at + 1]["depth"] if at + 1 < min(len(nodes), _TREE_MOST) else 0
        if after > node["depth"]:
            count = f"{node['leaves']:,} {'leaf' if node['leaves'] == 1 else 'leaves'}"
            unfolded = " open" if node["depth"] < 1 or len(nodes) <= 40 else ""
            parts.append(f"<details{unfolded}><summary>{label} <small>{count}</small></summary>")
        else:
            parts.append(f'<div class="leaf">{label}</div>' + "</details>" * (node["depth"] - after))
    left = len(nodes) - _TREE_MOST
    more = f"<p>and {left:,} more nodes, which show() prints</p>" if left > 0 else ""
    return f'<div class="tree">{"".join(parts)}</div>{more}'


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
