"""Where a Python source can be mutated: one small change each, as an edit of the source text.

Five kinds of change: `compare` (`<` ↔ `<=`, `==` ↔ `!=`, `in` ↔ `not in`, …), `constant` (a small
integer plus one, a larger number doubled, True ↔ False), `negation` (a condition negated, `not`
taken away, `and` ↔ `or`), `operator` (`+` ↔ `-`, `*` ↔ `/`, …) and `string` (emptied).

Left out, because no test of behaviour could or should see it: docstrings, annotations and type
expressions, `if TYPE_CHECKING`, `__all__`, `__slots__`, the arguments of `@dataclass` (mypy holds
them), `strict=` of `zip` (an assertion), and help texts (`help=`, `metavar=`, …: documentation).
Error messages do count.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from dataclasses import dataclass

KINDS = ("compare", "constant", "negation", "operator", "string")
LARGEST_STEPPED = 10  # integers up to here get one more, larger ones are doubled

COMPARE: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
OPERATOR: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "*"),
    ast.Pow: ("**", "*"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.BitXor: ("^", "&"),
}
SKIPPED_KEYWORDS = {"help", "short_help", "metavar", "epilog", "doc", "strict"}
TYPE_MAKERS = {"cast", "TypeVar", "NewType", "ParamSpec"}  # their first argument is for mypy
NAME_LISTS = {"__all__", "__slots__", "__match_args__"}


@dataclass(frozen=True)
class Mutation:
    """One change: the text `old` at `start` becomes `new`. `line` is where, `text` that line."""

    kind: str
    start: int
    old: str
    new: str
    line: int
    text: str
    function: str  # dotted name of the outermost function or class around it; "" at module level
    at_import: bool  # runs when the module is imported: a mutant needs a fresh interpreter

    def applied(self, source: str) -> str:
        """The mutated source."""
        return source[: self.start] + self.new + source[self.start + len(self.old) :]

    def compiles(self, source: str) -> bool:
        """Whether the mutated source is Python (an operator inside odd brackets may not be)."""
        try:
            compile(self.applied(source), "mutant", "exec")
        except SyntaxError:
            return False
        return True


def find(source: str) -> list[Mutation]:
    """All mutations of a source, in the order of its text."""
    finder = _Finder(source)
    finder.visit(ast.parse(source))
    return sorted(finder.found, key=lambda mutation: (mutation.start, mutation.kind))


class _Finder(ast.NodeVisitor):
    """Walks everything but what the module's docstring leaves out."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.lines = source.splitlines(keepends=True)
        starts = [0]
        for line in self.lines:
            starts.append(starts[-1] + len(line))
        self.starts = starts
        self.found: list[Mutation] = []
        self.scopes: list[str] = []
        self.functions = 0  # how many functions are around the node at hand

    def offset(self, line: int, column: int) -> int:
        """Characters before a position; ast counts columns in bytes."""
        text = self.lines[line - 1]
        return self.starts[line - 1] + len(text.encode()[:column].decode())

    def span(self, node: ast.expr) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self.offset(node.lineno, node.col_offset),
            self.offset(node.end_lineno, node.end_col_offset),
        )

    def add(self, kind: str, start: int, old: str, new: str) -> None:
        line = bisect_right(self.starts, start)
        text = self.lines[line - 1].strip()
        function = ".".join(self.scopes)
        new += "\n" * old.count("\n")  # later lines keep their numbers
        self.found.append(
            Mutation(kind, start, old, new, line, text, function, self.functions == 0)
        )

    def replace(self, kind: str, node: ast.expr, new: str) -> None:
        start, end = self.span(node)
        self.add(kind, start, self.source[start:end], new)

    def swap(self, kind: str, left: ast.expr, right: ast.expr, old: str, new: str) -> None:
        """Replace the operator that stands between two operands."""
        start, end = self.span(left)[1], self.span(right)[0]
        spaced = re.escape(old).replace(r"\ ", r"\s+")
        pattern = rf"\b{spaced}\b" if old[0].isalpha() else spaced
        between = re.sub(r"#.*", lambda comment: " " * len(comment[0]), self.source[start:end])
        place = re.search(pattern, between)
        if place:
            self.add(kind, start + place.start(), place[0], new)

    def scoped(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        is_function = not isinstance(node, ast.ClassDef)
        for decorator in node.decorator_list:
            self.visit(decorator)
        self.scopes.append(node.name)
        if isinstance(node, ast.ClassDef):
            for base in (*node.bases, *node.keywords):
                self.visit(base)
        else:
            for default in (*node.args.defaults, *node.args.kw_defaults):
                if default is not None:
                    self.visit(default)
        self.functions += is_function
        for statement in node.body:
            self.visit(statement)
        self.functions -= is_function
        self.scopes.pop()

    visit_FunctionDef = scoped  # noqa: N815
    visit_AsyncFunctionDef = scoped  # noqa: N815
    visit_ClassDef = scoped  # noqa: N815

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.visit(node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None and "TypeAlias" not in ast.unparse(node.annotation):
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        names = {target.id for target in node.targets if isinstance(target, ast.Name)}
        is_type = isinstance(node.value, ast.BinOp) and isinstance(node.value.op, ast.BitOr)
        if not names & NAME_LISTS and not (is_type and self.functions == 0):
            self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        if "TYPE_CHECKING" in ast.unparse(node.test):
            return
        if ast.unparse(node.test).startswith("__name__ =="):
            return
        self.negated(node.test)
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self.negated(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.negated(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self.negated(test)
        self.generic_visit(node)

    def negated(self, test: ast.expr) -> None:
        """A condition that has no mutation of its own is negated."""
        if isinstance(test, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
            start, end = self.span(test)
            self.add("negation", start, self.source[start:end], f"not {self.source[start:end]}")

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not ast.unparse(node.value).endswith("Literal"):
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
        if name == "dataclass":
            return
        self.visit(node.func)
        for argument in node.args[name in TYPE_MAKERS :]:
            self.visit(argument)
        for keyword in node.keywords:
            if keyword.arg not in SKIPPED_KEYWORDS:
                self.visit(keyword.value)

    def visit_Compare(self, node: ast.Compare) -> None:
        operands = [node.left, *node.comparators]
        for left, operator, right in zip(operands, node.ops, operands[1:], strict=False):
            self.swap("compare", left, right, *COMPARE[type(operator)])
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            self.swap("negation", left, right, old, new)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            start, end = self.span(node)
            self.add("negation", start, self.source[start:end], self.source[start:end][3:].lstrip())
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in OPERATOR:
            self.swap("operator", node.left, node.right, *OPERATOR[type(node.op)])
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if type(node.op) in OPERATOR:
            old, new = OPERATOR[type(node.op)]
            self.swap("operator", node.target, node.value, f"{old}=", f"{new}=")
        self.visit(node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        self.replace("string", node, '""')  # positions inside are not exact before Python 3.12

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self.replace("constant", node, str(not value))
        elif isinstance(value, int):
            new = value + 1 if value <= LARGEST_STEPPED else value * 2
            self.replace("constant", node, str(new))
        elif isinstance(value, float):
            self.replace("constant", node, str(value * 2 or 1.0))
        elif isinstance(value, str | bytes) and value:
            self.replace("string", node, '""' if isinstance(value, str) else 'b""')
