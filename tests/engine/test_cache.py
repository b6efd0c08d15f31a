"""The cache on disk: valid entries, damaged entries, and grammars that use it."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

import abnforge
from abnforge.budget import DEFAULT, Budget
from abnforge.engine import cache as cache_module
from abnforge.engine import cache as module
from abnforge.engine.cache import Cache, CacheStore, _name, user_cache
from abnforge.engine.compilation import Compilation
from tests.places import ROOT
from tests.reference.random_grammars import grammar

VALUE = {"automaton": [1, 2, 3], "pattern": "é\ud800"}


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache", b"s" * 32)


def test_stored_entries_are_returned(cache: Cache, tmp_path: Path) -> None:
    assert cache.get("a") is None
    cache.put("a", VALUE)
    assert cache.get("a") == VALUE
    assert Cache(tmp_path / "cache", b"s" * 32).get("a") == VALUE
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["a"]
    if os.name == "posix":
        assert (tmp_path / "cache" / "a").stat().st_mode & 0o777 == 0o600
        assert (tmp_path / "cache").stat().st_mode & 0o777 == 0o700


def test_another_secret_believes_nothing(cache: Cache, tmp_path: Path) -> None:
    cache.put("a", VALUE)
    assert Cache(tmp_path / "cache", b"t" * 32).get("a") is None


def test_an_entry_under_another_name_is_not_believed(cache: Cache, tmp_path: Path) -> None:
    cache.put("a", VALUE)
    (tmp_path / "cache" / "a").rename(tmp_path / "cache" / "b")
    assert cache.get("b") is None


def test_no_change_of_an_entry_is_believed(cache: Cache, tmp_path: Path) -> None:
    cache.put("a", VALUE)
    path = tmp_path / "cache" / "a"
    good = path.read_bytes()
    source = Random(1)
    changed = [good[:end] for end in range(len(good))]
    changed += [good + b"\n", good + good, b"\0" * len(good), b"", good.replace(b"2", b"4"), good.upper()]
    for place in range(len(good)):
        other = bytes([good[place] ^ source.randint(1, 255)])
        changed.append(good[:place] + other + good[place + 1 :])
    for data in changed:
        path.write_bytes(data)
        assert cache.get("a") is None, data
    path.write_bytes(good)
    assert cache.get("a") == VALUE


@pytest.mark.parametrize("what", ["folder", "nothing", "itself", "zeros", "pipe"])
def test_only_files_are_entries(cache: Cache, tmp_path: Path, what: str) -> None:
    (tmp_path / "cache").mkdir()
    path = tmp_path / "cache" / "a"
    if what == "folder":
        path.mkdir()
    elif what == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to({"nothing": "b", "itself": "a", "zeros": "/dev/zero"}[what])
    assert cache.get("a") is None
    cache.put("a", VALUE)
    assert cache.get("a") == (None if what == "folder" else VALUE)
    assert len(list((tmp_path / "cache").iterdir())) == 1


def test_a_directory_that_cannot_be_is_no_cache(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file" / "cache", b"s" * 32)
    cache.put("a", VALUE)
    assert cache.get("a") is None


@pytest.mark.parametrize("failing", ["_write", "replace"])
def test_failed_writes_leave_no_files(
    cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def fail(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    cache.put("a", VALUE)
    if failing == "_write":
        monkeypatch.setattr(module, "_write", fail)
    else:
        monkeypatch.setattr(Path, "replace", fail)
    cache.put("a", [])
    cache.put("b", [])
    monkeypatch.undo()
    assert cache.get("a") == VALUE
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["a"]


def test_limits(cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_ENTRY_OCTETS", 100)
    cache.put("large", "x" * 99)
    assert cache.get("large") is None
    cache.put("small", "x" * 98)
    assert cache.get("small") == "x" * 98
    monkeypatch.setattr(module, "MAX_CACHE_OCTETS", 1000)
    for number in range(10):
        cache.put(f"n{number}", "x" * 90)
        os.utime(tmp_path / "cache" / f"n{number}", (number, number))
    kept = sorted(path.name for path in (tmp_path / "cache").iterdir())
    assert sum(path.stat().st_size for path in (tmp_path / "cache").iterdir()) <= 1000
    assert kept == ["n4", "n5", "n6", "n7", "n8", "n9"] or "small" in kept


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name in ("ABNFORGE_CACHE", "XDG_CACHE_HOME", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    user_cache.cache_clear()
    yield tmp_path
    user_cache.cache_clear()


def test_where_it_is(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    result = user_cache()
    assert result
    result.put("a", VALUE)
    assert (home / ".cache/abnforge/a").is_file()
    assert len((home / ".local/share/abnforge/cache-secret").read_bytes()) == 32
    user_cache.cache_clear()
    again = user_cache()
    assert again
    assert again.get("a") == VALUE


@pytest.mark.parametrize(
    ("platform", "cache", "data"),
    [
        ("darwin", "Library/Caches/abnforge", "Library/Application Support/abnforge"),
        ("win32", "AppData/Local/abnforge/cache", "AppData/Local/abnforge"),
    ],
)
def test_where_it_is_elsewhere(
    home: Path, monkeypatch: pytest.MonkeyPatch, platform: str, cache: str, data: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert module.user_folders() == (home / cache, home / data)


def test_variables_say_where_it_is(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "c"))
    monkeypatch.setenv("XDG_DATA_HOME", "relative")  # invalid by the specification
    assert module.user_folders() == (home / "c/abnforge", home / ".local/share/abnforge")
    monkeypatch.setenv("ABNFORGE_CACHE", str(home / "mine"))
    result = user_cache()
    assert result
    result.put("a", VALUE)
    assert (home / "mine/a").is_file()


@pytest.mark.parametrize("value", ["off", "OFF", "0", "no", "false"])
def test_it_can_be_off(home: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("ABNFORGE_CACHE", value)
    assert user_cache() is None
    assert list(home.iterdir()) == []


def test_without_a_place_for_its_secret_there_is_none(home: Path) -> None:
    (home / ".local").write_text("")
    assert user_cache() is None


@pytest.mark.parametrize("data", [b"", b"short", b"x" * 33])
def test_a_secret_that_was_cut_short_is_made_anew(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "secret").write_bytes(data)
    result = module._secret(tmp_path / "secret")
    assert len(result) == 32
    assert module._secret(tmp_path / "secret") == result
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]


FILLING = """
import sys
from pathlib import Path
from abnforge.engine.cache import Cache
cache = Cache(Path(sys.argv[1]), b"s" * 32)
for round in range(150):
    for name in "abc":
        found = cache.get(name)
        assert found is None or found == [name] * 2000, found
        cache.put(name, [name] * 2000)
"""


def test_two_processes_fill_it_at_once(cache: Cache, tmp_path: Path) -> None:
    command = [sys.executable, "-c", FILLING, str(tmp_path / "cache")]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(2)]
    for process in running:
        _, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (0, b"")
    assert {name: cache.get(name) for name in "abc"} == {name: [name] * 2000 for name in "abc"}


KILLED = """
import os, sys
from pathlib import Path
from abnforge.engine.cache import Cache
left = int(sys.argv[2])
def watch(event, arguments):
    global left
    if event in ("open", "os.rename", "os.mkdir", "os.remove", "os.scandir"):
        left -= 1
        if left < 0:
            os._exit(9)
cache = Cache(Path(sys.argv[1]), b"s" * 32)
cache.put("other", 1)
sys.addaudithook(watch)
cache.put("a", [1])
os._exit(0)
"""


def test_killed_at_any_step_it_has_an_entry_or_none(cache: Cache, tmp_path: Path) -> None:
    for step in range(20):
        command = [sys.executable, "-c", KILLED, str(tmp_path / "cache"), str(step)]
        status = subprocess.run(command, timeout=60, check=False).returncode
        assert cache.get("a") in (None, [1])
        if status == 0:
            break
    assert 3 < step < 19
    assert cache.get("a") == [1]
    cache.put("b", [2])
    assert cache.get("b") == [2]


def name(text: str, kind: str = "automaton", budget: Budget = DEFAULT) -> str | None:
    compilation = abnforge.loads(text, budget=budget).compilation
    return _name(kind, "a", lambda: compilation._inputs("a"))


SAME = 'a = b / "x"\nb = 2*3DIGIT\n'


def test_a_name_says_all_that_matters() -> None:
    same = [SAME, SAME + 'c = "other"\n', f"; a comment\n{SAME}", SAME.replace('"x"', '%i"X"')]
    assert len({name(text) for text in same}) == 1
    assert name(SAME.replace('"x"', '"xx"')) == name(SAME.replace('"x"', '"x" "x"'))
    others = [
        SAME.replace("2*3", "2*4"),
        SAME.replace("2*3", "1*3"),
        SAME.replace("2*3", "*3"),
        SAME.replace("2*3", "2*"),
        SAME.replace('"x"', '"y"'),
        SAME.replace('"x"', '"xx"'),
        SAME.replace('b / "x"', '"x" / b'),
        SAME.replace('b / "x"', 'b "x"'),
        SAME.replace('b / "x"', 'b / "x" b'),
        SAME.replace('b / "x"', '(b / "x") b'),
        SAME.replace("b", "c"),
    ]
    results = [name(text) for text in (SAME, *others)]
    results += [name(SAME, "pattern"), name(SAME, budget=Budget(steps=1))]
    assert len(set(results)) == len(results)


def test_names_of_random_grammars_are_as_their_strings() -> None:
    texts = {grammar(Random(seed), "regular").replace("r0", "a") for seed in range(80)}
    results = {}
    for text in texts:
        loaded = abnforge.loads(text)
        bodies = {key: repr(loaded[key].definition) for key in loaded.facts.reachable("a")}
        results.setdefault(name(text), set()).add(repr(sorted(bodies.items())))
    assert len(results) > 60
    assert max(map(len, results.values())) <= 3  # another notation for the same rule


def test_other_code_has_other_names(monkeypatch: pytest.MonkeyPatch) -> None:
    before = name(SAME)
    monkeypatch.setattr(module, "modules_digest", lambda: "another state of the package")
    assert name(SAME) != before


def test_each_module_that_compiles_counts() -> None:
    """A change in any imported module can change an automaton and its pattern."""
    program = (
        "import sys, abnforge; "
        "rule = abnforge.loads('a = 1*3(\"b\" / c) [\"x\"]\\nc = *DIGIT\\n')['a']; "
        "rule.automaton, rule.pattern; "
        "print(*(m.__file__ for name, m in sys.modules.items() if name.split('.')[0] == 'abnforge'))"
    )
    env = {**os.environ, "ABNFORGE_CACHE": "off"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True
    )
    package = Path(module.__file__).parents[1]
    folders = {Path(file).relative_to(package).parts[0] for file in done.stdout.split()}
    assert {"automata", "grammar", "charset.py"} < folders
    assert {path.name for path in package.iterdir()} >= module._OUTER
    assert folders & module._OUTER == set()


def test_states_of_modules_have_different_digests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest depends on the size, time and name of each module, and on the version."""
    package = Path(module.__file__).parents[1]
    modules = [path.relative_to(package) for path in package.rglob("*.py") if "_data" not in path.parts]
    for path in modules:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
        os.utime(tmp_path / path, (1, 1))
    monkeypatch.setattr(module, "__file__", str(tmp_path / "engine" / "cache.py"))
    inner = [path for path in modules if path.parts[0] not in module._OUTER | {"_native"}]
    assert len(inner) > 100
    digests = [module.modules_digest.__wrapped__()]
    for path in inner[::10]:
        os.utime(tmp_path / path, (2, 2))
        digests.append(module.modules_digest.__wrapped__())
    (tmp_path / "charset.py").write_text("pass")
    os.utime(tmp_path / "charset.py", (1, 1))
    digests.append(module.modules_digest.__wrapped__())
    (tmp_path / "grammar" / "another.py").write_text("")
    digests.append(module.modules_digest.__wrapped__())
    (tmp_path / "__init__.py").write_text('__version__ = "1"')
    digests.append(module.modules_digest.__wrapped__())
    assert len(set(digests)) == len(digests)


TEXT = 'long = 1*30( "x" / "y" DIGIT ) [ "," short ]\nshort = 3"b"\nnested = "(" [ nested ] ")"\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ABNFORGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache_module, "MIN_STEPS", 0)
    user_cache.cache_clear()
    yield tmp_path / "cache"
    user_cache.cache_clear()


def fresh(path: Path) -> abnforge.Rule:
    return abnforge.load(path)["long"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.abnf"
    path.write_text(
        'long = 1*30( "x" / "y" DIGIT ) [ "," short ]\nshort = 3"b"\nnested = "(" [ nested ] ")"\n'
    )
    return path


def test_compiled_grammars_are_read_from_the_cache(
    folder: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = fresh(file)
    automaton, pattern = first.automaton, first.pattern
    assert len(list(folder.iterdir())) == 2

    def never(*arguments: object, **more: object) -> None:
        raise AssertionError("it is compiled again")

    monkeypatch.setattr(Compilation, "_build", never)
    monkeypatch.setattr(Compilation, "_prove", never)
    second = fresh(file)
    assert (second.automaton, second.pattern) == (automaton, pattern)
    for text in ("x", "xy1", "y", "xx,bbb", "x,bb", ""):
        assert second.matches(text) is first.matches(text)
    assert fresh(file).grammar["nested"].matches("(())")


def test_cheap_results_are_not_cached(folder: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "MIN_STEPS", 10_000_000)
    assert fresh(file).matches("x")
    assert not folder.exists()


@pytest.mark.parametrize("way", ["argument", "variable"])
def test_it_can_be_left_out(folder: Path, file: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    if way == "variable":
        monkeypatch.setenv("ABNFORGE_CACHE", "off")
    grammars = [
        abnforge.load(file, cache=way == "variable"),
        abnforge.loads(TEXT, cache=way == "variable"),
    ]
    for loaded in grammars:
        assert loaded["long"].automaton.states > 30
        assert not isinstance(loaded.compilation.store, CacheStore)
    assert not folder.exists()


def test_who_has_one(folder: Path, file: Path) -> None:
    assert isinstance(abnforge.load(file).compilation.store, CacheStore)
    assert isinstance(abnforge.loads("a = DIGIT\n").compilation.store, CacheStore)
    assert isinstance(abnforge.load("abnf:rfc6265").compilation.store, CacheStore)
    assert not isinstance(abnforge.load("abnf:rfc6265", cache=False).compilation.store, CacheStore)
    assert not isinstance(abnforge.load("rfc3986").compilation.store, CacheStore)
    travelled = pickle.loads(pickle.dumps(abnforge.load(file)))
    assert isinstance(travelled.compilation.store, CacheStore)
    assert not isinstance(
        pickle.loads(pickle.dumps(abnforge.load(file, cache=False))).compilation.store, CacheStore
    )


def test_the_budget_ends_what_it_ended_before(folder: Path) -> None:
    text = 'a = 1*300( "x" / "yz" / "zzz" )\n'
    small = abnforge.Budget(steps=30_000)
    whole = abnforge.loads(text)["a"].automaton
    with pytest.raises(abnforge.LimitExceeded):
        abnforge.loads(text, budget=small)["a"].automaton  # noqa: B018 - made when asked for
    assert abnforge.loads(text)["a"].automaton == whole


def test_invalid_entries_change_no_result(folder: Path, file: Path) -> None:
    first = fresh(file)
    automaton, pattern = first.automaton, first.pattern
    entries = sorted(folder.iterdir())
    datas = [path.read_bytes() for path in entries]
    for data in (b"", b"{}", datas[0], datas[1], datas[0][:-1], b"\xff" * 100, b"0" * 64 + b"\nnull"):
        for path in entries:
            path.write_bytes(data)
        result = fresh(file)
        assert (result.automaton, result.pattern) == (automaton, pattern)
        assert [path.read_bytes() for path in entries] == datas  # an invalid entry is written again


def test_answers_of_bundled_grammars_as_files(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "copy.abnf"
    for name in ("rfc2396", "rfc3339", "rfc5234", "rfc5321"):
        shipped = abnforge.load(name)
        path.write_bytes((ROOT / "grammars" / f"{name}.abnf").read_bytes())
        for _ in range(2):
            copy = abnforge.load(path)
            for rule in copy.own_rules:
                if rule.regular:
                    assert rule.automaton == shipped[rule.name].automaton, rule
    assert list(folder.iterdir())


def test_entries_have_names_of_their_content(folder: Path, file: Path) -> None:
    assert fresh(file).automaton.states
    assert abnforge.loads(TEXT, name="another")["long"].automaton.states
    assert len(list(folder.iterdir())) == 1
    assert cache_module.MAX_ENTRY_OCTETS < cache_module.MAX_CACHE_OCTETS
