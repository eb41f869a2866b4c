"""The guided first game on the page: `lesson/2?refused=e4e5&try=Nf3` answers how its second step stands.

The server keeps nothing of it: what the browser names is tried anew by a referee.
"""

from __future__ import annotations

import asyncio

import chess
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from kriegbot.narration.known import marks, own_men
from kriegbot.narration.lesson import Stand, first_game, stand
from kriegbot.web.guard import IS_GUEST
from kriegbot.web.requests import MOST_TEXT
from kriegbot.web.show import letters


def lesson_routes() -> list[Route]:
    """Where the page asks for the steps."""
    shading = asyncio.Lock()

    async def step(request: Request) -> Response:
        number, query = request.path_params["number"], request.query_params
        lesson = first_game()
        if request.scope[IS_GUEST]:
            return JSONResponse({"error": "Your link is for one game."}, 404)
        try:
            if not 1 <= number <= len(lesson.steps):
                raise ValueError(f"There are steps 1 to {len(lesson.steps)}.")
            told = lesson.steps[number - 1]
            now = stand(told, query.get("refused", "").split(), query.get("try", "")[:MOST_TEXT])
        except ValueError as error:
            return JSONResponse({"error": str(error)}, 400)
        chances = None
        if "shading" in query:
            async with shading:  # one at a time: the first may wait for kernels
                chances = await asyncio.to_thread(now.shading)
        about = {"title": told.title, "text": told.text, "steps": len(lesson.steps), "words": dict(lesson.words)}
        return JSONResponse(about | shown(now) | {"chances": chances})

    return [Route("/lesson/{number:int}", step)]


def shown(now: Stand) -> dict[str, object]:
    """How a step stands, as the page's board takes it."""
    view = now.view
    return {
        "heard": now.heard,
        "refused": list(now.refused),
        "answer": now.answer,
        "said": now.said,
        "done": now.is_done,
        "side": chess.COLOR_NAMES[view.color],
        "men": letters(own_men(view)),
        "marks": [chess.square_name(square) for square in marks(view)],
        "tries": [move.uci() for move in view.tries()],
    }
