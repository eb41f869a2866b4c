"""Saved games as files of the browser: to download, and to upload. Guests have neither."""

from __future__ import annotations

import asyncio
import secrets

from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from kriegbot.request import Refused, rules_of
from kriegbot.web.guard import IS_GUEST
from kriegbot.web.library import MOST_UPLOADED
from kriegbot.web.registry import House
from kriegbot.web.requests import BadMessage

UPLOAD_SECONDS = 20.0
"""That an upload may take to arrive."""


def file_routes(house: House) -> list[Route]:
    """`games/NAME` answers with a file; `upload?rules=NAME` takes one, and answers with the name of the saved game."""
    reading = asyncio.Lock()

    async def download(request: Request) -> Response:
        try:
            if request.scope[IS_GUEST]:
                raise BadMessage("Your link is for one game.")
            path = house.library.path(request.path_params["name"])
        except BadMessage as error:
            return PlainTextResponse(f"{error}\n", 404)
        return FileResponse(path, media_type="application/x-chess-pgn", filename=path.name)

    async def upload(request: Request) -> Response:
        try:
            if request.scope[IS_GUEST]:
                raise BadMessage("Your link is for one game.")
            if "origin" not in request.headers:  # the guard has checked one that is there
                raise BadMessage("Files are taken from the page only.")
            rules = rules_of(request.query_params.get("rules", "berkeley"))
            async with asyncio.timeout(UPLOAD_SECONDS):
                data = await _body(request)
            async with reading:  # one at a time: a referee plays it again
                path = await asyncio.to_thread(house.library.upload, data, rules, secrets.token_urlsafe(12))
        except (BadMessage, Refused) as error:
            return JSONResponse({"error": str(error)}, 400)
        except (TimeoutError, ClientDisconnect):
            return JSONResponse({"error": "The file took too long to arrive."}, 400, {"Connection": "close"})
        return JSONResponse({"file": path.name})

    return [Route("/games/{name}", download), Route("/upload", upload, methods=["POST"])]


async def _body(request: Request) -> bytes:
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MOST_UPLOADED:
            raise BadMessage(f"The file is too large; a game takes at most {MOST_UPLOADED // 1024} kB.")
        parts.append(part)
    return b"".join(parts)
