"""The calls of the playground's page, as JSON.

A call is an object with ``ask`` and its arguments. The response has ``answer``, or ``error`` with a
``message``, perhaps a ``code``, and the ``setting`` of an exceeded limit. Calls do not raise exceptions.
Offsets are in code points.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import import_module

from abnforge._lazy import importing
from abnforge.catalog import ArgumentError
from abnforge.errors import GrammarError, Rejected, UnknownNameError
from abnforge.teaching.messages import message as _message
from abnforge.teaching.playground.loaded import Call

ANSWERS: Mapping[str, str] = {
    "menu": "abnforge.teaching.playground.loaded:list_examples",
    "implementation": "abnforge.teaching.playground.loaded:describe_implementation",
    "grammar": "abnforge.teaching.playground.grammars:lint_grammar",
    "examples": "abnforge.teaching.playground.grammars:run_examples",
    "names": "abnforge.teaching.playground.grammars:complete",
    "rename": "abnforge.teaching.playground.grammars:rename",
    "format": "abnforge.teaching.playground.grammars:format_grammar",
    "string": "abnforge.teaching.playground.strings:validate",
    "strings": "abnforge.teaching.playground.strings:validate_lines",
    "derivation": "abnforge.teaching.playground.strings:derive",
    "diagram": "abnforge.teaching.playground.pictures:diagram",
    "picture": "abnforge.teaching.playground.pictures:picture",
    "about": "abnforge.teaching.playground.pictures:describe",
    "construction": "abnforge.teaching.playground.pictures:construct",
    "compare": "abnforge.teaching.playground.pictures:compare_rules",
    "exercises": "abnforge.teaching.playground.pictures:list_exercises",
    "grade": "abnforge.teaching.playground.pictures:grade_answer",
}
"""The functions of calls; each module is imported at its first call, since a browser compiles it then."""


def answer(message: str) -> str:
    """Return the response to a call, both as JSON. Does not raise."""
    try:
        question = json.loads(message)
        asked = question.get("ask") if isinstance(question, dict) else None
        if not isinstance(asked, str) or asked not in ANSWERS:
            raise ArgumentError(_message("call-unknown", name=str(asked), known=tuple(ANSWERS)))
        module, function = ANSWERS[asked].split(":")
        with importing:
            answers = getattr(import_module(module), function)
        return json.dumps({"answer": answers(Call(question))})
    except Rejected as error:
        return _refused(error.rejection.message, error.rejection.code)
    except GrammarError as error:
        return _refused(error.message, error.code, getattr(error, "setting", None))
    except UnknownNameError as error:
        return _refused(str(error), "unknown-name")
    except OSError as error:
        return _refused(f"{error.filename}: {error.strerror}", None)
    except (ValueError, TypeError, ModuleNotFoundError) as error:
        return _refused(str(error), getattr(error, "code", None))
    except RecursionError:
        return _refused(_message("call-nested"), "limit-exceeded")
    except MemoryError:
        return _refused(_message("call-memory"), "limit-exceeded")


def _refused(message: str, code: str | None, setting: str | None = None) -> str:
    return json.dumps({"error": {"message": message, "code": code, "setting": setting}})
