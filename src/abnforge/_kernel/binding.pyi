from collections.abc import Callable
from typing import Any

class Table:
    def __new__(cls, octets: bytes) -> Table: ...
    def read(self, text: str, /) -> tuple[int, bool]: ...
    def find(self, text: str, /) -> tuple[tuple[int, ...], tuple[int, ...]] | None: ...
    def walking(self, name: str, /) -> Table: ...
    @property
    def walk(self) -> str: ...

def lines(
    table: Table, block: bytes | bytearray | memoryview, last: int, skip_empty: bool, /
) -> tuple[int, int, list[tuple[int, int, int]]]: ...

class Verdict:
    def __new__(
        cls, table: Table | Callable[[], Table | None], slow: Callable[..., bool], travel: tuple[Any, ...]
    ) -> Verdict: ...
    def matches(self, text: object, *, engine: str = "auto") -> bool: ...
    def is_valid(self, value: object, rule: str = "URI") -> bool: ...

class Parts:
    rule: str
    _places: tuple[int, ...]
    _kinds: tuple[int, ...]
    def __new__(cls, text: str, rule: str, places: tuple[int, ...], kinds: tuple[int, ...]) -> Any: ...

class Part:
    def __new__(cls, number: int, doc: str) -> Any: ...

class Kind:
    def __new__(cls, number: int, values: tuple[Any, ...], doc: str) -> Any: ...

class Reader:
    def __new__(
        cls,
        table: Table | Callable[[], Table | None],
        classes: tuple[type, type],
        rule: str,
        slow: Callable[..., Any],
        travel: tuple[Any, ...],
        others: dict[str, Reader] = ...,
    ) -> Reader: ...
    def parse(self, value: object, rule: str = "URI-reference") -> Any: ...

class Trail:
    def __new__(cls, page_of: Any, pages: bytes, classes: int) -> Trail: ...
    def add(self, cost: int, octets: int, /) -> int: ...
    def learn(self, state: int, char: str, target: int, /) -> None: ...
    def begin(self) -> None: ...
    def walk(self, units: bytes, width: int, begin: int, state: int, /) -> tuple[int, int, int, int, int]: ...

class Column:
    def __new__(
        cls,
        layout: int,
        first: int,
        length: int,
        valid: Any,
        places: Any,
        data: tuple[Any, ...],
        octets: bool,
    ) -> Column: ...
    def read(self, table: Table, begin: int, end: int, bits: Any, offsets: Any, /) -> None: ...
    def places(
        self, table: Table, begin: int, end: int, bits: Any, valid: tuple[Any, ...], places: Any, /
    ) -> None: ...
    def views(
        self,
        table: Table,
        begin: int,
        end: int,
        bits: Any,
        valid: tuple[Any, ...],
        views: tuple[Any, ...],
        /,
    ) -> None: ...
