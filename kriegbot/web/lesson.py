"""The guided first game and the puzzles on the page.

`lesson/2?refused=e4e5&try=Nf3` answers how the second step stands. `puzzles` lists the puzzles, `puzzle/2` poses the
second, and `puzzle/2?answer=g8` judges an answer; what shows it is told only then. The server keeps nothing: what the
browser names is tried anew by a referee.
"""

from __future__ import annotations

import asyncio

import chess
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from kriegbot.narration.known import marks, own_men
from kriegbot.narration.learning import (
    PUZZLE_KINDS,
    BadAnswer,
    Puzzle,
    StepState,
    first_game,
    grades,
    puzzles,
    step_state,
)
from kriegbot.request import Refused, refusing
from kriegbot.web.guard import check_host
from kriegbot.web.requests import MAX_TRY
from kriegbot.web.show import letters
from referee import View


def lesson_routes() -> list[Route]:
    """Where the page asks for the steps."""
    shading = asyncio.Lock()

    async def step(request: Request) -> Response:
        number, query = request.path_params["number"], request.query_params
        lesson = first_game()
        check_host(request)
        if not 1 <= number <= len(lesson.steps):
            raise Refused(f"There are steps 1 to {len(lesson.steps)}.")
        told = lesson.steps[number - 1]
        with refusing(ValueError):
            now = step_state(told, query.get("refused", "").split(), query.get("try", "")[:MAX_TRY])
        chances = None
        if "shading" in query:
            async with shading:  # one at a time: the first may wait for kernels
                chances = await asyncio.to_thread(now.shading)
        about = {"title": told.title, "text": told.text, "steps": len(lesson.steps), "words": dict(lesson.words)}
        return JSONResponse(about | shown(now) | {"chances": chances})

    async def listed(request: Request) -> Response:
        check_host(request)
        several = [[one.kind, one.grade] for one in puzzles()]
        return JSONResponse({"kinds": PUZZLE_KINDS, "grades": grades(), "puzzles": several})

    async def puzzle(request: Request) -> Response:
        number, answer = request.path_params["number"], request.query_params.get("answer")
        check_host(request)
        if not 1 <= number <= len(puzzles()):
            raise Refused(f"There are puzzles 1 to {len(puzzles())}.")
        with refusing(BadAnswer):
            return JSONResponse(await asyncio.to_thread(posed, puzzles()[number - 1], answer))

    return [Route("/lesson/{number:int}", step), Route("/puzzles", listed), Route("/puzzle/{number:int}", puzzle)]


def posed(puzzle: Puzzle, answer: str | None) -> dict[str, object]:
    """A puzzle for the page and, after an answer, what is said of it."""
    about = {"task": puzzle.task, "rules": puzzle.referee.rules.title, "log": puzzle.log} | seen(puzzle.view)
    if answer is None:
        return about
    verdict = puzzle.judge(answer[:MAX_TRY])
    solution = {"squares": verdict.squares, "numbers": puzzle.numbers, "chances": [n / 100 for n in puzzle.heat]}
    return about | {"right": verdict.is_right, "comment": verdict.explanation} | solution


def shown(now: StepState) -> dict[str, object]:
    """How a step stands, as the page takes it."""
    about = {"log": now.log, "refused": list(now.refused), "answer": now.answer, "comment": now.comment}
    return about | {"done": now.is_done} | seen(now.view)


def seen(view: View) -> dict[str, object]:
    """What a side knows, as the page's board takes it."""
    return {
        "side": chess.COLOR_NAMES[view.color],
        "men": letters(own_men(view)),
        "marks": [chess.square_name(square) for square in marks(view)],
        "tries": [move.uci() for move in view.tries()],
    }
