"""What the site has beside the pages of this folder: the README as its home, and the project's other texts."""

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
HOME = "index.md"
# Where each text of the project's root stands on the site.
PLACES = {
    "README.md": HOME,
    "CHANGELOG.md": "internals/changelog.md",
    "CONTRIBUTING.md": "internals/contributing.md",
    "LICENSE": "LICENSE",
}
HEADING = re.compile("^(?=#)", re.MULTILINE)
LINK = re.compile(r"(?<=\]\()(?P<target>[^)\s:#]+)(?=[)#])")


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the texts of the project's root."""
    for name, place in PLACES.items():
        if place != HOME:
            text = (ROOT / name).read_text(encoding="utf-8")
            files.append(File.generated(config, place, content=_moved(text, name, place)))
    return files


def on_page_markdown(markdown: str, *, page: Page, **_: Any) -> str:
    """Put the README before the list of pages, and lead links that leave this folder to where the site has it."""
    place = page.file.src_uri
    here = _moved(markdown, f"docs/{place}", place) if page.file.generated_by is None else markdown
    if place != HOME:
        return here
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return f"{_moved(readme, 'README.md', HOME)}\n{HEADING.sub('#', here)}"


def _moved(text: str, name: str, place: str) -> str:
    """Return a text of the project with its links as they are at its place on the site."""

    def lead(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(name), link["target"]))
        found = PLACES.get(target, target.removeprefix("docs/"))
        return posixpath.relpath(found, posixpath.dirname(place) or ".")

    return LINK.sub(lead, text)
