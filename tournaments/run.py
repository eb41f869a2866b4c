"""Runs a tournament: games from an executor into a store, until none is missing."""

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from kriegbot.game.trial import try_out
from kriegbot.players.specs import parse_spec, versions_of
from referee import BERKELEY, PAPER_LIMITS, Limits, RuleSet, rule_set
from tournaments.executors import Executor, LocalExecutor
from tournaments.play import MOST_ATTEMPTS, Died, Outcome
from tournaments.report import Report, report_of
from tournaments.schedule import Game, Settings, round_robin
from tournaments.store import Store


def run(
    store: Store,
    games: Sequence[Game],
    executor: Executor,
    watch: Callable[[Outcome], None] = lambda _: None,
    is_decided: Callable[[], bool] = lambda: False,
) -> None:
    """Plays games in this order, but for those already stored, and stores each as soon as it is finished.

    `watch` is called with each outcome after it is stored; then `is_decided` says whether to stop early.
    """
    done = store.done()
    waiting = [game for game in games if game.id not in done]
    with closing(executor.play(waiting, store.settings)) as outcomes:
        for outcome in outcomes:
            if isinstance(outcome, Died):
                store.add_incident(outcome, quarantined=outcome.attempts == MOST_ATTEMPTS)
            else:
                store.add(outcome)
            watch(outcome)
            if is_decided():
                return


def run_tournament(
    path: Path,
    players: Sequence[str],
    games: int,
    seed: int,
    rules: RuleSet | str = BERKELEY,
    limits: Limits = PAPER_LIMITS,
    jobs: int = 1,
) -> Report:
    """Plays everybody against everybody on this machine; calling it again resumes.

    Args:
      path: SQLite file that holds the games; `kriegbot report` and `kriegbot replay` read it.
      players: specs of two players or more.
      games: of each pairing, even: half with each colour.
      seed: of the tournament; with players that think by samples, a seed is a tournament.
      rules: the rule set, or its name.
      limits: when a game is drawn; the paper's by default.
      jobs: games at once, each in a process. Main modules need the usual `if __name__ == "__main__":`.

    Raises:
      BadSpec: a spec names no player, or one that cannot play.
      UnknownRuleSet: no rule set has that name.
      StoreError: the file cannot be used, or holds another tournament.
      ExecutorError: a player can no longer be loaded; the games that are stored stay.
    """
    specs, rules = [parse_spec(player) for player in players], rule_set(rules)
    for spec in specs:
        try_out(spec, rules)
    settings = Settings(round_robin(list(map(str, specs))), rules, limits, seed, versions_of(specs))
    with Store.writing(path, settings, games) as store:
        run(store, store.missing(), LocalExecutor(jobs))
        return report_of(store)
