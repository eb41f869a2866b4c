"""Contents of the page besides games: players, rule sets and pieces, explained or drawn; the lesson and the puzzles."""

import asyncio
import contextlib
import re
from datetime import date
from html import escape

import chess.svg
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from kriegbot.kernels import prepare_first
from kriegbot.narration import learning
from kriegbot.narration.diary import meanings
from kriegbot.narration.glance import marks, own_men
from kriegbot.narration.practice import ENDINGS, WORDS, Practice
from kriegbot.players.specs import offered_options, players
from kriegbot.request import PERSON, Refused, can_sit, refusing
from kriegbot.web.notices import Hello, OptionOffered, PlayerOffered, RulesOffered, letters, square_names
from kriegbot.web.registry import Registry
from kriegbot.web.requests import IS_GUEST, MAX_TRY
from referee import RULE_SETS, Asking, Audience, PawnTries, RuleSet, View
from referee.text import unknown

MAX_TRIED = 300  # tries of a step or of practice in one request

_PAWN_TRIES = {
    PawnTries.NOTHING: "The referee does not say whether pawns can capture.",
    PawnTries.COUNT: "Both sides hear how many pawn captures the side to move has.",
    PawnTries.COUNT_EACH: "Both sides hear how many pawn captures the side to move has, each promotion counted apart.",
    PawnTries.YES_NO: "Both sides hear whether the side to move has any pawn capture.",
    PawnTries.SQUARES: "Both sides hear which pawns of the side to move can capture.",
}
_ASKING = {
    Asking.OBLIGES: 'You may ask "Any?" (can any pawn capture?); if the answer is yes, you must make such a capture.',
    Asking.OBLIGES_ONCE: 'You may ask "Any?" (can any pawn capture?); after a yes you must try such a capture.',
}


def hello(*, is_guest: bool) -> Hello:
    """Return the choices on the page; a guest gets none."""
    rules = () if is_guest else RULE_SETS.values()
    offered = [RulesOffered(one.name, one.title, about(one)) for one in rules]
    return Hello([] if is_guest else _players(), offered, is_guest)


def about(rules: RuleSet) -> list[str]:
    """Return two lines about a rule set: who hears of illegal tries, and what else is special."""
    both = "Both sides hear when a try is illegal."
    illegal = both if rules.illegal_to is Audience.BOTH else "Only the player who tried hears that it was illegal."
    kind = ", and whether a pawn or a piece was taken" if rules.captured_kind else ""
    first = f"{illegal} The referee names the square of each capture{kind}."
    more = [
        (True, _ASKING.get(rules.asking, _PAWN_TRIES[rules.pawn_tries])),
        (not rules.checks_announced, "The referee does not announce checks."),
        (rules.stalemate_loses, "Stalemate loses."),
        (rules.promotion_announced, "The referee announces promotions."),
        (rules.en_passant_announced, "The referee says when a capture is en passant."),
    ]
    return [first, " ".join(text for applies, text in more if applies)]


def rules_html() -> str:
    """Return HTML that explains each rule set under its title: the two lines of `about`, and more."""
    parts = []
    for one in RULE_SETS.values():
        aside = "is called nonsense, and only you hear it" if one.nonsense else "is answered like any other illegal one"
        can_ask, tries = one.asking is not Asking.NONSENSE, one.pawn_tries
        must = {Asking.OBLIGES: "a pawn has captured", Asking.OBLIGES_ONCE: "you have tried a pawn capture"}
        more = [
            (True, f"A try that you could see is impossible, or that was already refused this turn, {aside}."),
            (tries is PawnTries.SQUARES, "A pawn that is not named may not try to capture."),
            (
                tries not in (PawnTries.SQUARES, PawnTries.NOTHING),
                "If the referee says that you have no pawn capture, you may not try one.",
            ),
            (can_ask, "You may ask once a turn; if the answer is no, you may not try a pawn capture in that turn."),
            (can_ask, f'After a yes to "Any?" every other try is nonsense until {must.get(one.asking)}.'),
            (one.promotion_announced, "The referee announces that a pawn is promoted, but not to which piece."),
            (
                one.en_passant_announced,
                "For a capture en passant, the referee names the square on which the pawn lands.",
            ),
            (one.one_minor_each_draws, "It is a draw if neither side has more than the king and one knight or bishop."),
        ]
        lines = [*about(one), " ".join(text for applies, text in more if applies)]
        paragraphs = "".join(f"<p>{escape(line)}</p>" for line in lines)
        parts.append(f'<h3 id="rules-{one.name}">{escape(one.title)}</h3>{paragraphs}')
    return "\n".join(parts)


def meanings_html() -> str:
    """Return HTML that explains each kind of announcement. The page copies its explanations from there."""
    return "\n".join(
        f'<dt>{escape(title)}</dt><dd data-kind="{kind}">{escape(text)}</dd>'
        for kind, (title, text) in meanings().items()
    )


def pieces_svg() -> str:
    """Return the twelve pieces of python-chess as symbols "wK", "bP" ..., without style attributes."""
    symbols, attribute = [], re.compile(r" *([\w-]+): *([^;]+);? *")
    for letter, drawing in chess.svg.PIECES.items():
        plain = re.sub(r' (?:id|class)="[^"]*"', "", drawing)
        plain = re.sub(r' ?style="([^"]*)"', lambda style: attribute.sub(r' \1="\2"', style[1]), plain)
        name = ("w" if letter.isupper() else "b") + letter.upper()
        symbols.append(f'<symbol id="{name}" viewBox="0 0 45 45">{plain}</symbol>')
    return f'<svg width="0" height="0" aria-hidden="true">{"".join(symbols)}</svg>'


def _players() -> list[PlayerOffered]:
    known = sorted(players().items(), key=lambda named: named[1].rank)
    return [
        PlayerOffered(
            name,
            kind.words or kind.summary,
            [OptionOffered(one.name, one.takes, one.usual, one.words) for one in offered_options(kind)],
        )
        for name, kind in known
        if name != PERSON and can_sit([PERSON, name])
    ]


def learning_routes(registry: Registry) -> list[Route]:
    """Return the routes of lessons, practice and puzzles, for guests, too.

    `lesson/2?tried=e4e5&try=Nf3` answers with the second step after these tries, and `shading` adds the chances.
    `lesson/KRK/7` is the same of practice, from the start that 7 chooses.
    `puzzles` lists the puzzles, `puzzle/2` poses the second, and `puzzle/2?refused=h1h8&answer=Rg8` judges an answer.
    The server sends the solution with a right answer, with `show`, and with any answer of yes or no. The first answer
    counts, unless a guest gives it.
    """
    shading = asyncio.Lock()

    async def lesson_step(request: Request) -> Response:
        number, lesson = request.path_params["number"], learning.first_game()
        if not 1 <= number <= len(lesson.steps):
            raise Refused(f"There are steps 1 to {len(lesson.steps)}.")
        about = {"title": lesson.heading(number), "words": dict(lesson.words), "is_last": number == len(lesson.steps)}
        return await taught(lesson.steps[number - 1], about, request.query_params)

    async def practice(request: Request) -> Response:
        ending = request.path_params["ending"]
        if ending not in ENDINGS:
            raise Refused(unknown("ending", ending, ENDINGS))
        step = Practice(ending, request.path_params["number"])
        about = {"title": step.title, "words": {**learning.first_game().words, **WORDS}, "is_last": False}
        return await taught(step, about, request.query_params)

    async def taught(step: learning.LessonStep | Practice, about: dict[str, object], query: QueryParams) -> Response:
        tried = query.get("tried", "").split()
        if len(tried) > MAX_TRIED:
            raise Refused(f"{len(tried)} tries: a step has at most {MAX_TRIED}.")
        with refusing(ValueError):
            state = await asyncio.to_thread(step.state, tried, query.get("try", "")[:MAX_TRY])
        chances = None
        if "shading" in query:
            async with shading:  # one at a time: the first may wait for kernels
                await asyncio.to_thread(prepare_first)
                chances = await asyncio.to_thread(state.shading)
        return JSONResponse(
            about
            | {"text": step.text, "tried": list(state.tried), "answer": state.answer, "done": state.is_done}
            | {"comment": state.comment, "log": state.log, "chances": chances}
            | _board(state.view)
        )

    async def list_puzzles(_request: Request) -> Response:
        listed, today = [[one.kind, one.grade] for one in learning.puzzles()], learning.puzzle_of(date.today())
        book = {"kinds": learning.PUZZLE_KINDS, "grades": learning.GRADES}
        return JSONResponse(book | {"puzzles": listed, "today": today})

    async def puzzle(request: Request) -> Response:
        number, query = request.path_params["number"], request.query_params
        if not 1 <= number <= len(learning.puzzles()):
            raise Refused(f"There are puzzles 1 to {len(learning.puzzles())}.")
        posed, refused = learning.puzzles()[number - 1], query.get("refused", "").split()
        answer, is_shown = query.get("answer", "")[:MAX_TRY], "show" in query
        with refusing(ValueError):
            reply = await asyncio.to_thread(_posed, posed, refused, answer, is_shown)
        is_right, results = reply.get("right"), registry.results
        if not request.scope[IS_GUEST]:
            with contextlib.suppress(OSError):
                if isinstance(is_right, bool):
                    results.count_puzzle(posed.key, posed.grade, is_right=is_right)
                reply["score"] = results.puzzles_text()
        return JSONResponse(reply)

    return [
        Route("/lesson/{number:int}", lesson_step),
        Route("/lesson/{ending}/{number:int}", practice),
        Route("/puzzles", list_puzzles),
        Route("/puzzle/{number:int}", puzzle),
    ]


def _posed(puzzle: learning.Puzzle, refused: list[str], answer: str, is_shown: bool) -> dict[str, object]:
    """Return a puzzle for the page, the verdict on an answer, and the solution if it is time for it."""
    reply: dict[str, object] = {"right": False} if is_shown else {}
    if answer and not is_shown:
        verdict = puzzle.judge(answer, refused)
        refused, is_shown = list(verdict.refused), verdict.is_right is True or puzzle.kind == "capture"
        reply = {"right": verdict.is_right, "comment": verdict.text}
    if is_shown:
        reply["chances"] = [percent / 100 for percent in puzzle.heat]
    names = ("about", "task", *(("solution", "proof", "squares", "lines", "numbers") if is_shown else ()))
    texts = {name: getattr(puzzle, name) for name in names}
    return {"log": puzzle.log(refused), "refused": refused} | texts | _board(puzzle.view(refused)) | reply


def _board(view: View) -> dict[str, object]:
    """Return what a side sees, for the page's board."""
    return {
        "side": chess.COLOR_NAMES[view.color],
        "men": letters(own_men(view)),
        "marks": square_names(marks(view)),
        "tries": [move.uci() for move in view.tries()],
    }
