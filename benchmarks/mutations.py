"""Mutations: the changes that can be made to one place of a Python file, drawn by hash, and made in running code.

After DeMillo, Lipton and Sayward, "Hints on Test Data Selection" (Computer, 1978). A mutation changes one operator,
constant, condition, result or statement. Texts stay, and so do messages of errors, annotations and decorators.
"""

import ast
import gc
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("evaluators", "kriegbot", "referee", "tournaments")
KERNELS = {"kernel", "inlined", "entry", "evaluator", "opponent", "opponents", "fold", "settle", "intrinsic"}
"""Decorators of functions that numba compiles."""
# fmt: off
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}
# fmt: on
OPTIMIZED = 1  # CO_OPTIMIZED, a flag of code that is a function's, not a class's or a module's


class Place(NamedTuple):
    """A place in a file: the functions and classes around it, the line of its statement, True if numba compiles it."""

    scope: str
    line: int
    is_kernel: bool


class Mutant(NamedTuple):
    """The `number`-th change of a file; `name` says what it is."""

    key: str
    file: str
    number: int
    name: str
    place: Place

    @property
    def package(self) -> str:
        """The package in which its file is."""
        return str(Path(self.file).relative_to(ROOT).parent)


def changes(
    node: ast.AST, place: Place, put: Callable[[ast.AST], None]
) -> Iterator[tuple[Place, str, Callable[[], None]]]:
    """Yield the place, a name and a function for each possible change of a node and below; `put` replaces the node."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        place = Place(f"{place.scope}.{node.name}".lstrip("."), node.lineno, place.is_kernel or is_kernel(node))
    elif isinstance(node, ast.stmt):
        place = place._replace(line=node.lineno)

    def named(what: str, change: Callable[[], None]) -> tuple[Place, str, Callable[[], None]]:
        return place, f"{place.scope}: {ast.unparse(node)!r}: {what}", change

    def setting(field: str, value: Any) -> tuple[Place, str, Callable[[], None]]:
        shown = ast.unparse(value) if isinstance(value, ast.expr) else getattr(type(value), "__name__", "")
        return named(
            f"{field} -> {value if isinstance(value, int | float) else shown}", lambda: setattr(node, field, value)
        )

    match node:
        case ast.Compare(ops=[operator, *others]) if type(operator) in SWAPS:
            swapped = SWAPS[type(operator)]
            yield named(swapped.__name__, lambda: setattr(node, "ops", [swapped(), *others]))
        case ast.BoolOp(op=operator) | ast.BinOp(op=operator) if type(operator) in SWAPS:
            yield setting("op", SWAPS[type(operator)]())
        case ast.UnaryOp(ast.Not(), operand):
            yield named("no not", lambda: put(operand))
        case ast.Constant(bool() | int() | float() as value):
            yield setting("value", not value if isinstance(value, bool) else value + 1)
        case ast.If(test) | ast.While(test) | ast.IfExp(test):
            yield setting("test", ast.UnaryOp(ast.Not(), test))
        case ast.Return(ast.expr() as value) if not (isinstance(value, ast.Constant) and value.value is None):
            if not place.is_kernel:  # numba would not compile it
                yield setting("value", ast.Constant(None))
        case (
            ast.Expr(ast.Call() | ast.Yield())
            | ast.Raise()
            | ast.Continue()
            | ast.Break()
            | ast.AugAssign()
            | ast.Assign(targets=[ast.Attribute() | ast.Subscript()])
        ):
            yield named("gone", lambda: put(ast.Pass()))
    for field, value in ast.iter_fields(node):
        if isinstance(node, ast.JoinedStr | ast.Raise) or field in ("annotation", "returns", "decorator_list"):
            continue
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


def changes_of(tree: ast.Module) -> list[tuple[Place, str, Callable[[], None]]]:
    """Return the possible changes of a module."""
    return list(changes(tree, Place("", 0, is_kernel=False), lambda _: None))


def draw(seed: int, count: int) -> list[Mutant]:
    """Return the `count` mutants of all production code with the smallest hashes for a seed.

    An edit elsewhere in a file leaves a mutant drawn.
    """
    mutants = []
    for path in sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        seen = Counter[str]()
        for number, (place, what, _) in enumerate(changes_of(ast.parse(path.read_text(encoding="utf-8")))):
            name = f"{path.relative_to(ROOT)}: {what}"
            seen[name] += 1
            key = hashlib.sha256(f"{seed} {name} {seen[name]}".encode()).hexdigest()
            mutants.append(Mutant(key, str(path), number, name, place))
    return sorted(mutants)[:count]


def changed_tree(mutant: Mutant) -> ast.Module:
    """Return the syntax tree of the mutant's file with its change."""
    tree = ast.parse(Path(mutant.file).read_text(encoding="utf-8"))
    _, _, change = changes_of(tree)[mutant.number]
    change()
    return ast.fix_missing_locations(tree)


def codes_of(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object and all within it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from codes_of(inner)


def patch(mutant: Mutant) -> bool:
    """Make the change in the functions that this process has imported; return False if it is made at import only."""
    old = compile(ast.parse(Path(mutant.file).read_text(encoding="utf-8")), mutant.file, "exec")
    new = compile(changed_tree(mutant), mutant.file, "exec")
    pairs = list(zip(codes_of(old), codes_of(new), strict=False))
    if [one.co_qualname for one, _ in pairs] != [other.co_qualname for _, other in pairs]:
        return False
    if any(own(before) != own(after) for before, after in pairs if not before.co_flags & OPTIMIZED):
        return False
    changed = {(one.co_qualname, one.co_firstlineno): other for one, other in pairs if one != other}
    found = 0
    for thing in gc.get_objects():
        if type(thing) is FunctionType and thing.__code__.co_filename == mutant.file:
            code = changed.get((thing.__code__.co_qualname, thing.__code__.co_firstlineno))
            if code is not None and code.co_freevars == thing.__code__.co_freevars:
                thing.__code__ = code
                found += 1
    return found > 0


def own(code: CodeType) -> tuple[Any, ...]:
    """Return what a code object does, without the code objects within it."""
    constants = tuple(repr(one) for one in code.co_consts if not isinstance(one, CodeType))
    return code.co_code, constants, code.co_names, code.co_varnames, code.co_exceptiontable


class Fingerprints:
    """Digests of kernels: each of its code, of the values that it names, and of the kernels that it calls."""

    def __init__(self, kernel_class: type) -> None:
        self._class = kernel_class
        self._known: dict[int, str] = {}
        self._called: dict[int, set[str]] = {}

    @staticmethod
    def name(kernel: Any) -> str:
        """Return a name of a kernel, the same in each process."""
        cells = [repr(cell.cell_contents) for cell in kernel.function.__closure__ or ()]
        return f"{kernel.function.__module__}:{kernel.function.__qualname__}:{' '.join(cells)}"

    def of(self, kernel: Any) -> str:
        """Return the digest of a kernel."""
        if id(kernel) not in self._known:
            self._known[id(kernel)] = "itself"
            self._called[id(kernel)] = {self.name(kernel)}
            text = [repr([own(code) for code in codes_of(kernel.function.__code__)])]
            for value in self._values(kernel):
                text.append(self._text(value))
                if isinstance(value, self._class):
                    self._called[id(kernel)] |= self._called[id(value)]
            self._known[id(kernel)] = hashlib.sha256("\n".join(text).encode()).hexdigest()
        return self._known[id(kernel)]

    def called(self, kernel: Any) -> set[str]:
        """Return the names of a kernel and of all that it calls."""
        self.of(kernel)
        return self._called[id(kernel)]

    @staticmethod
    def _values(kernel: Any) -> Iterator[Any]:
        scope, names = kernel.function.__globals__, [*kernel.function.__code__.co_names]
        yield from (cell.cell_contents for cell in kernel.function.__closure__ or ())
        scopes = [scope, *(vars(scope[name]) for name in names if isinstance(scope.get(name), ModuleType))]
        yield from (one[name] for one in scopes for name in names if name in one)

    def _text(self, value: Any) -> str:
        if isinstance(value, self._class):
            return self.of(value)
        if isinstance(value, np.ndarray):
            return hashlib.sha256(value.tobytes()).hexdigest()
        if isinstance(value, bool | int | float | str | tuple | np.generic):
            return repr(value)
        return getattr(value, "__qualname__", type(value).__qualname__)
