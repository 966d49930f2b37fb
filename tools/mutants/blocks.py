"""Which blocks of code each test runs: the sources with a mark at the start of every block.

A block is a function's body or a branch in it. Marks are cheap enough for whole test suites, work
in threads and in processes that a test starts, and need no tracing, which Hypothesis and debuggers
want for themselves.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

MARK = "_mutants_mark_"  # the name of `marks.mark` in the marked sources


@dataclass(frozen=True)
class Block:
    """The lines of a block, `first` to `last`."""

    first: int
    last: int


def marked(source: str, name: str) -> str:
    """The source with a mark at the start of each block, named by file and first line."""
    module = ast.parse(source)
    for body in _bodies(module):
        first = _start(body)
        name_of_block = ast.Constant(f"{name}:{body[first].lineno}")
        call = ast.Call(ast.Name(MARK, ast.Load()), [name_of_block], [])
        body.insert(first, ast.Expr(call))
    module.body.insert(_after_future(module), _import())
    return ast.unparse(ast.fix_missing_locations(module))


def around(source: str, line: int) -> Block | None:
    """The innermost block that holds a line; None at module level."""
    holding = [
        Block(body[_start(body)].lineno, body[-1].end_lineno or 0)
        for body in _bodies(ast.parse(source))
    ]
    holding = [block for block in holding if block.first <= line <= block.last]
    return min(holding, key=lambda block: block.last - block.first, default=None)


def mark_tree(top: Path, sources: Path) -> None:
    """Mark all sources of a scratch copy of the project, in place."""
    for path in (top / sources).rglob("*.py"):
        path.write_text(marked(path.read_text(), str(path.relative_to(top))))


def _bodies(module: ast.Module) -> list[list[ast.stmt]]:
    """The bodies of functions and of all branches inside functions."""
    found: list[list[ast.stmt]] = []
    waiting: list[tuple[ast.AST, bool]] = [(module, False)]
    while waiting:
        node, inside = waiting.pop()
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        inside = (inside or is_function) and not isinstance(node, ast.ClassDef)
        if inside:
            for field in ("body", "orelse", "finalbody"):
                body = getattr(node, field, None)
                if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                    found.append(body)
        waiting.extend((child, inside) for child in ast.iter_child_nodes(node))
    return found


def _start(body: list[ast.stmt]) -> int:
    """The first statement of a body that is not a docstring (or the docstring, if it is alone)."""
    first = body[0]
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return 1 if is_text and len(body) > 1 else 0


def _after_future(module: ast.Module) -> int:
    place = _start(module.body) if module.body else 0
    while place < len(module.body):
        statement = module.body[place]
        if not (isinstance(statement, ast.ImportFrom) and statement.module == "__future__"):
            break
        place += 1
    return place


def _import() -> ast.ImportFrom:
    return ast.ImportFrom("tools.mutants.marks", [ast.alias("mark", MARK)], 0)
