"""One case judged: a failure, or none. What the project may answer with, and what it must never do."""

from __future__ import annotations

from abnforge.errors import LimitExceeded
from fuzzing.cases import Case
from fuzzing.guard import Overdue, isolated, within
from fuzzing.kind import Kind
from fuzzing.minimise import Failure
from fuzzing.questions import BrokenError, Questions


def judge(kind: Kind, case: Case, patience: float, octets: int, only: str | None = None) -> Failure | None:
    """What is wrong with a case, None if nothing is. An unexpected exception is, and so is an overdue answer.

    ``patience`` are the seconds and ``octets`` the memory that all questions about a case may take together;
    memory counts only for kinds whose cases are judged in processes of their own. ``only`` is the one law to
    look at, where that can be told apart.
    """
    questions = Questions(only)
    if not kind.isolated:
        return _judged(kind, case, questions, patience)
    try:
        failure: Failure | None = isolated(lambda: _judged(kind, case, questions, patience), patience, octets)
    except Overdue:
        return Failure("time", "killed", "...", f"no answer within {patience:g} s, not even to a signal")
    except MemoryError as error:
        return Failure("memory", "killed", "...", str(error))
    return failure


def _judged(kind: Kind, case: Case, questions: Questions, patience: float) -> Failure | None:
    try:
        with within(patience):
            kind.check(case, questions)
    except BrokenError as broken:
        return Failure(broken.law, "assert", broken.claim, broken.why)
    except LimitExceeded:
        return None  # an answer by name, and no verdict
    except Overdue:
        return Failure(questions.law, "Overdue", questions.asked, f"no answer within {patience:g} s")
    except Exception as error:
        name = type(error).__name__
        return Failure(questions.law, name, questions.asked, f"{name}: {error} ({_innermost(error)})")
    return None


def _innermost(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return "?"
    code = trace.tb_frame.f_code
    return f"{code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}, {code.co_qualname}"
