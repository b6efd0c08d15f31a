"""Small faults that can be put into a module, one at a time (DeMillo, Lipton and Sayward 1978).

A mutant is the module with one operator, constant, condition or statement changed. What is not run, or only
read by people, is left alone: annotations, docstrings, imports for type checkers, and the words of messages.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One changed module: the line of the change, what stood there and what does now, the module's source."""

    line: int
    before: str
    after: str
    source: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.before}  ->  {self.after}"


def mutants(source: str) -> list[Mutant]:
    """All mutants of a module's source, in the order of its text. Cost: it is written once for each."""
    tree = ast.parse(source)
    original = ast.unparse(tree)
    found = []
    for node, change, undo in _changes(tree):
        change()
        mutated = ast.unparse(tree)
        undo()
        lines = zip(original.splitlines(), mutated.splitlines(), strict=False)
        before, after = next(pair for pair in lines if pair[0] != pair[1])
        found.append(Mutant(node.lineno, before.strip(), after.strip(), mutated))
    return sorted(found, key=lambda mutant: mutant.line)


Change = tuple[Any, Callable[[], None], Callable[[], None]]


def _changes(tree: ast.AST) -> Iterator[Change]:
    """Each change of a node as two functions, which make it and take it back."""
    for parent in _run(tree):
        for field, value in ast.iter_fields(parent):
            if isinstance(value, list):
                for index, node in enumerate(value):
                    for variant in _variants(parent, field, node):
                        yield (
                            node,
                            partial(value.__setitem__, index, variant),
                            partial(value.__setitem__, index, node),
                        )
            elif isinstance(value, ast.AST):
                for variant in _variants(parent, field, value):
                    yield (
                        value,
                        partial(setattr, parent, field, variant),
                        partial(setattr, parent, field, value),
                    )


def _run(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that are run and matter."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "decorator_list", "type_params", "bases"):
                continue
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                continue
            if isinstance(node, ast.Raise | ast.JoinedStr | ast.Assert):
                continue
            children = value if isinstance(value, list) else [value]
            waiting.extend(child for child in children if isinstance(child, ast.AST))


def _variants(parent: ast.AST, field: str, node: Any) -> Iterator[ast.AST]:
    """What a node may be changed into."""
    if field in ("annotation", "returns", "decorator_list", "bases", "msg") or isinstance(parent, ast.Module):
        return
    match node:
        case ast.Compare(left=left, ops=[op], comparators=comparators) if type(op) in _COMPARISONS:
            yield ast.Compare(left, [_COMPARISONS[type(op)]()], comparators)
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            yield ast.BinOp(left, _OPERATORS[type(op)](), right)
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield operand
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield ast.IfExp(test, orelse, body)
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(value=int() as value):
            yield ast.Constant(value + 1)
        case ast.Constant(value=str() as value) if not isinstance(parent, ast.Expr):
            yield ast.Constant(f"{value}x" if value else "x")
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name in _CALLS:
            yield ast.Call(ast.Name(_CALLS[name], ast.Load()), args, keywords)
        case ast.Return(value=ast.AST() as value) if not isinstance(value, ast.Constant):
            yield ast.Return(ast.Constant(None))
        case ast.Break():
            yield ast.Continue()
        case ast.Continue():
            yield ast.Break()
        case ast.AugAssign(target=target, op=op, value=value) if type(op) in _OPERATORS:
            yield ast.AugAssign(target, _OPERATORS[type(op)](), value)
        case ast.Expr(value=ast.Call() | ast.Yield() | ast.YieldFrom()):
            yield ast.Pass()
        case ast.If(test=test, body=body, orelse=orelse) if "TYPE_CHECKING" not in ast.unparse(test):
            yield ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
