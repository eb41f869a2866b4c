"""The one way from the commands to the page: `kriegbot play --web` and `kriegbot replay --web`."""

from __future__ import annotations

from kriegbot.cli.arguments import games_folder
from kriegbot.request import whole_of
from referee import GameRecord


def open_page(
    port: str | None,
    folder: str | None = None,
    host: str = "127.0.0.1",
    *,
    has_browser: bool,
    saved: tuple[GameRecord, str] | None = None,
) -> None:
    """Serves the page until Ctrl-C.

    Args:
      port: its port; None for any free one.
      folder: where games are saved; None for one in the user's data.
      host: the address to listen on.
      has_browser: whether to open the page in a browser.
      saved: a game to show at first, and its file.
    """
    number = 0 if port is None else whole_of(port, "port", 1, 65535)
    path = games_folder(folder)
    from kriegbot.web.server import serve

    serve(path, host, number, has_browser=has_browser, saved=saved)
