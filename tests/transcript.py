"""The transcript of the game in docs/bots.md; `PYTHONPATH=. python tests/transcript.py` prints it again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

from kriegbot.children import LineProcess
from kriegbot.game.match import play_game
from kriegbot.game.process import ProcessSeat
from kriegbot.game.seat import HereSeat
from kriegbot.players.rand import RandPlayer
from kriegbot.players.specs import parse_spec
from referee import Limits

BOT = Path(__file__).parents[1] / "examples" / "shell_bot.sh"
START, SEED = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", 1


def transcript(seed: int = SEED) -> str:
    """Return a game of four plies: what the shell bot reads after ">", and what it writes after "<"."""
    lines: list[str] = []

    send, line = LineProcess.send, LineProcess.line

    def overhear(process: LineProcess, sent: Sequence[str], deadline: float) -> None:
        lines.extend(f"> {one}" for one in sent)
        send(process, sent, deadline)

    def reply(process: LineProcess, deadline: float) -> str:
        said = line(process, deadline)
        lines.append(f"< {said}")
        return said

    spec = parse_spec(f"program:sh {BOT}", sandbox=False)
    with patch.multiple(LineProcess, send=overhear, line=reply), ProcessSeat(spec, has_own_seed=False) as seat:
        play_game(seat, HereSeat("rand", RandPlayer), limits=Limits(plies=4), start=START, seed=seed)
    return "".join(f"    {line}\n" for line in lines)


if __name__ == "__main__":
    print(transcript(), end="")
