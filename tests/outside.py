"""Packages as pip installs them, for tests of what comes from outside."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def installed(
    folder: Path, name: str, text: str, offers: Mapping[str, Mapping[str, str]], version: str = "1.0"
) -> None:
    """Puts a package of one module into a folder, with what pip writes of it.

    Args:
      folder: one that is on the path.
      name: of package and module.
      text: of the module.
      offers: its entry points: by group, name and object.
      version: of the package.
    """
    (folder / f"{name}.py").write_text(text)
    info = folder / f"{name}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = [
        line
        for group, entries in offers.items()
        for line in (f"[{group}]", *(f"{entry} = {target}" for entry, target in entries.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
