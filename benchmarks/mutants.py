"""Mutation check: change one place in the code and see whether a test fails.

    python benchmarks/mutants.py mutants.jsonl --count 40      # 40 mutants per package; run it again to resume

After DeMillo, Lipton and Sayward, "Hints on Test Data Selection" (Computer, 1978). Each mutant changes one operator,
constant, condition, result or statement as its module is imported, and the package's fast tests run until one fails. No
file changes. Kernels stay as they are; tests compare them with the referee. The sample is the places with the smallest
hashes, so an edit elsewhere leaves most of it. POSIX only: each run of the tests is a fork, which saves importing
numba.
"""

import argparse
import ast
import hashlib
import importlib
import json
import os
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import Phase, settings

ROOT = Path(__file__).resolve().parents[1]
PACKAGE_TESTS = {
    "referee": "referee referee_views announcements tries records records_refused kriegspiel_org",
    "kriegbot/belief": "belief exact_belief_in_play hs web_review",
    "kriegbot/search": "search searching pruned alphabeta",
}
"""Packages to change, and the tests (tests/test_*.py) that should notice."""
MOST_SECONDS, MOST_MEMORY = 900.0, 12 << 30
"""Limits for the tests of one mutant."""
KERNELS = {"kernel", "inlined", "entry", "part", "evaluator", "opponent", "fold", "settle", "intrinsic"}
# fmt: off
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}
# fmt: on


class Mutant(NamedTuple):
    """The `number`-th change of a file; `name` gives its place and effect."""

    key: str
    file: str
    number: int
    name: str


def changes(node: ast.AST, place: str, put: Callable[[ast.AST], None]) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield a name and a function for each possible change of a node and below; `put` replaces the node."""

    def setting(what: Any, field: str, value: Any) -> tuple[str, Callable[[], None]]:
        shown = ast.unparse(value) if isinstance(value, ast.expr) else getattr(type(value), "__name__", "")
        name = f"{place}: {ast.unparse(node)!r}: {field} -> {value if isinstance(value, int | float) else shown}"
        return name, lambda: setattr(what, field, value)

    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        if is_kernel(node):
            return
        place = f"{place}.{node.name}".lstrip(".")
    match node:
        case ast.Compare(ops=[operator, *others]) if type(operator) in SWAPS:
            name = f"{place}: {ast.unparse(node)!r}: {SWAPS[type(operator)].__name__}"
            yield name, lambda: setattr(node, "ops", [SWAPS[type(operator)](), *others])
        case ast.BoolOp(op=operator) | ast.BinOp(op=operator) if type(operator) in SWAPS:
            yield setting(node, "op", SWAPS[type(operator)]())
        case ast.UnaryOp(ast.Not(), operand):
            yield f"{place}: {ast.unparse(node)!r}: no not", lambda: put(operand)
        case ast.Constant(bool() | int() | float() as value):
            yield setting(node, "value", not value if isinstance(value, bool) else value + 1)
        case ast.If(test) | ast.While(test) | ast.IfExp(test):
            yield setting(node, "test", ast.UnaryOp(ast.Not(), test))
        case ast.Return(ast.expr() as value) if not (isinstance(value, ast.Constant) and value.value is None):
            yield setting(node, "value", ast.Constant(None))
        case (
            ast.Expr(ast.Call() | ast.Yield())
            | ast.Raise()
            | ast.Continue()
            | ast.Break()
            | ast.AugAssign()
            | ast.Assign(targets=[ast.Attribute() | ast.Subscript()])
        ):
            yield f"{place}: {ast.unparse(node)!r}: gone", lambda: put(ast.Pass())
    for field, value in ast.iter_fields(node):
        if isinstance(node, ast.JoinedStr | ast.Raise) or field in ("annotation", "returns", "decorator_list"):
            continue  # messages, and code that does not run
        if isinstance(value, ast.AST):
            yield from changes(value, place, lambda other, field=field: setattr(node, field, other))  # type: ignore[misc]
        for index, child in enumerate(value if isinstance(value, list) else ()):
            if isinstance(child, ast.AST):
                yield from changes(child, place, lambda other, at=value, i=index: at.__setitem__(i, other))  # type: ignore[misc]


def is_kernel(node: ast.AST) -> bool:
    """Return True if numba compiles a function."""
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    names = (getattr(part, "id", "") or getattr(part, "attr", "") for one in decorators for part in ast.walk(one))
    return not KERNELS.isdisjoint(names)


def changes_of(tree: ast.Module) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield the possible changes of a module; not of constants that kernels compile in."""
    has_kernels = any(map(is_kernel, tree.body))
    for name, change in changes(tree, "", lambda _: None):
        if not (has_kernels and name.startswith(":")):
            yield name, change


def sample(package: str, count: int) -> list[Mutant]:
    """Return `count` mutants of a package."""
    mutants = []
    for path in sorted((ROOT / package).glob("*.py")):
        seen = Counter[str]()
        for number, (name, _) in enumerate(changes_of(ast.parse(path.read_text(encoding="utf-8")))):
            seen[name] += 1
            named = f"{path.relative_to(ROOT)}: {name}"
            key = hashlib.sha256(f"{named} {seen[name]}".encode()).hexdigest()
            mutants.append(Mutant(key, str(path), number, named))
    return sorted(mutants)[:count]


def load_changed(mutant: Mutant) -> None:
    """Make Python import a mutant in place of its file."""
    get_code = SourceFileLoader.get_code

    def changed(loader: SourceFileLoader, name: str) -> Any:
        if loader.path != mutant.file:
            return get_code(loader, name)
        tree = ast.parse(Path(mutant.file).read_text(encoding="utf-8"))
        [change for _, change in changes_of(tree)][mutant.number]()
        return compile(ast.fix_missing_locations(tree), mutant.file, "exec")

    SourceFileLoader.get_code = changed  # type: ignore[assignment, method-assign]


def outcome_of(package: str, mutant: Mutant | None) -> str:
    """Run the tests of a package in a fork of this process; return "lived", "killed" or "hung"."""
    child = os.fork()
    if child == 0:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        if mutant:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            load_changed(mutant)
        options = ("-n0", "-xq", "--tb=line", "-pno:cacheprovider", "--hypothesis-profile=mutants", "-mnot slow")
        tests = [f"tests/test_{name}.py" for name in PACKAGE_TESTS[package].split()]
        code = 1
        try:
            code = pytest.main([*options, "-Wignore::pytest.PytestAssertRewriteWarning", *tests])
        finally:
            os._exit(code)
    until = time.monotonic() + MOST_SECONDS
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() > until:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return "hung"
        time.sleep(0.05)
    return "killed" if ended[1] else "lived"


def main() -> None:
    """Test the mutants of each package, write a line of JSON for each, and count those killed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("out", type=Path, help="file of JSON lines")
    parser.add_argument("--count", type=int, default=40, help="mutants per package")
    options = parser.parse_args()
    out = options.out.resolve()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    importlib.import_module("numba")  # all mutants need it
    phases = (Phase.explicit, Phase.generate)
    settings.register_profile("mutants", deadline=None, max_examples=25, derandomize=True, database=None, phases=phases)
    done = {row["key"]: row["outcome"] for row in map(json.loads, out.open() if out.exists() else ())}
    for package in PACKAGE_TESTS:
        mutants = sample(package, options.count)
        if {mutant.file for mutant in mutants} & {getattr(module, "__file__", None) for module in sys.modules.values()}:
            parser.exit(1, f"mutants: modules of {package} are already imported\n")
        if any(mutant.key not in done for mutant in mutants) and outcome_of(package, None) != "lived":
            parser.exit(1, f"mutants: the tests of {package} fail without a change\n")
        for mutant in mutants:
            if mutant.key not in done:
                done[mutant.key] = outcome_of(package, mutant)
                with out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"key": mutant.key, "outcome": done[mutant.key], "name": mutant.name}) + "\n")
        killed = sum(done[mutant.key] != "lived" for mutant in mutants)
        print(f"{package}: {killed} of {len(mutants)} mutants killed", flush=True)


if __name__ == "__main__":
    main()
