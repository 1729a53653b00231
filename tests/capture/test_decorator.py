"""The decorator and its run: what is recorded of functions, and what stays as it was."""

import asyncio
import contextlib
import contextvars
import functools
import gc
import inspect
import json
import multiprocessing
import os
import pathlib
import subprocess
import sys
import threading
import unittest
from base64 import b64decode
from collections.abc import AsyncIterator, Iterator
from enum import Enum
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import toolreplay
from tests.capture.recorded import payloads, plan_of, receipts, runs
from toolreplay.capture.clock import now
from toolreplay.capture.decorator import RecordedRun
from toolreplay.capture.decorator.values import Items, spelling_of
from toolreplay.capture.recorder import Recorder
from toolreplay.errors import RecordingError, StoreFailedError, UsageError
from toolreplay.evidence.redaction.redactor import Redacted, Redactor
from toolreplay.evidence.tlog.leaf import parse_leaf
from toolreplay.recording import sink_into
from toolreplay.sources.store import reading_of_store
from toolreplay.stores.sqlite.reading import LogTables

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Recorded(unittest.TestCase):
    """A store of its own for each test."""

    def setUp(self) -> None:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = pathlib.Path(folder.name, "store.db")
        self.run_ = toolreplay.record(self.store, agent="bot", model="m-2", labels={"k": "v"})
        self.addCleanup(self.run_.close)

    def receipts(self) -> list[dict[str, Any]]:
        """Close the run and return the receipts of the last, by position."""
        self.run_.close()
        found = receipts(self.store, runs(self.store)[-1])
        return sorted(found, key=lambda receipt: receipt["binding"]["position"])

    def ended(self) -> list[tuple[str, str, Any]]:
        """Return tool, status and result of each call; `null` where nothing came back."""
        return [
            (one["tool"]["name"], one["outputs"]["status"], _value(one["outputs"]["result"]))
            for one in self.receipts()
        ]


def _value(piece: dict[str, Any] | None) -> Any:
    return "nothing" if piece is None else json.loads(b64decode(piece["b64"]))


class WhatIsRecorded(Recorded):
    """Bound arguments by parameter name, in form toolreplay-1; outcomes."""

    def test_arguments_stand_by_name_with_defaults(self) -> None:
        @self.run_.tool
        def pay(sum_: int, /, to: str = "shop", *rest: int, fast: bool = False, **more: str) -> int:
            return sum_

        self.assertEqual(pay(3), 3)
        pay(1, "you", 5, 6, fast=True, note="é")
        first, second = self.receipts()
        self.assertEqual(
            _value(first["inputs"]["args"]),
            {"sum_": 3, "to": "shop", "rest": [], "fast": False, "more": {}},
        )
        args = b64decode(second["inputs"]["args"]["b64"])
        expected = rb'{"fast":true,"more":{"note":"\u00e9"},"rest":[5,6],"sum_":1,"to":"you"}'
        self.assertEqual(args, expected)
        self.assertEqual(first["tool"], {"name": "pay", "version": "unknown",
                                         "scope": f"python:{__name__}"})  # fmt: skip
        self.assertEqual(first["capture"]["layer"], "decorator")
        self.assertEqual(first["capture"]["args_fidelity"], "parsed")
        self.assertTrue(first["capture"]["writer"]["same_process"])
        self.assertEqual(first["issuer_claims"]["provenance_class"], "EXECUTED BY TOOLREPLAY")
        self.assertEqual(first["agent"], {"name": "bot", "model": "m-2", "labels": {"k": "v"}})

    def test_arguments_are_those_before_the_call(self) -> None:
        @self.run_.tool
        def take(items: list[int]) -> int:
            return items.pop()

        take([1, 2])
        self.assertEqual(_value(self.receipts()[0]["inputs"]["args"]), {"items": [1, 2]})

    def test_methods_leave_out_what_they_are_called_on(self) -> None:
        run = self.run_

        class Shop:
            @run.tool
            def sell(self, what: str) -> str:
                return what

            @classmethod
            @run.tool
            def name(cls, x: int) -> str:
                return cls.__name__

            @run.tool
            @staticmethod
            def price(tea: int) -> int:
                return tea

            @run.tool
            @classmethod
            def made(cls) -> str:
                return cls.__name__

        shop = Shop()
        self.assertEqual(
            [shop.sell("tea"), Shop.name(1), shop.price(2), shop.made()], ["tea", "Shop", 2, "Shop"]
        )

        @run.tool
        def plain(self: int) -> int:
            return self

        plain(4)
        args = [_value(one["inputs"]["args"]) for one in self.receipts()]
        self.assertEqual(args, [{"what": "tea"}, {"x": 1}, {"tea": 2}, {}, {"self": 4}])

    def test_outcomes(self) -> None:
        class OddError(Exception):
            def __str__(self) -> str:
                raise RuntimeError

        errors = (
            (ValueError("no \ud83d money"), "tool_error"), (OddError(), "tool_error"), (TimeoutError("late"), "timeout"),
            (TimeoutError(), "timeout"), (asyncio.CancelledError(), "cancelled"),
            (KeyboardInterrupt(), "cancelled"), (SystemExit(3), "tool_error"), (StopIteration(1), "tool_error"),
        )  # fmt: skip
        for error, _ in errors:

            @self.run_.tool
            def fail(error: BaseException) -> None:
                raise error

            with self.assertRaises(type(error)) as caught:
                fail(error)
            self.assertIs(caught.exception, error)
        found = self.ended()
        self.assertEqual([status for _, status, _ in found], [status for _, status in errors])
        self.assertEqual(found[0][2], {"type": "builtins.ValueError", "message": "no \ud83d money"})
        self.assertEqual(found[1][2]["message"], "")
        self.assertEqual(found[4][2], "nothing")

    def test_wrong_arguments_are_the_functions_own_error(self) -> None:
        @self.run_.tool
        def pay(sum_: int) -> int:
            return sum_

        with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'to'"):
            pay(to=3)  # type: ignore[call-arg]
        (receipt,) = self.receipts()
        self.assertEqual(_value(receipt["inputs"]["args"]), {"args": [], "kwargs": {"to": 3}})
        self.assertEqual(receipt["outputs"]["status"], "tool_error")

    def test_a_call_within_a_call_names_its_parent(self) -> None:
        @self.run_.tool
        def inner() -> None: ...

        @self.run_.tool
        def numbers() -> Iterator[int]:
            inner()
            yield 1
            inner()

        @self.run_.tool
        def outer() -> None:
            inner()
            for _ in numbers():
                inner()
            context = contextvars.copy_context()
            thread = threading.Thread(target=context.run, args=(inner,))
            thread.start()
            thread.join()

        outer()
        inner()
        found = self.receipts()
        run = runs(self.store)[0]
        self.assertEqual(
            [(one["tool"]["name"], one["binding"].get("parent")) for one in found],
            [("outer", None), ("inner", f"{run}:1"), ("numbers", f"{run}:1"),
             ("inner", f"{run}:3"), ("inner", f"{run}:1"), ("inner", f"{run}:3"),
             ("inner", f"{run}:1"), ("inner", None)],
        )  # fmt: skip

    def test_a_call_by_hand(self) -> None:
        with self.run_.call("pay", {"sum": 1}, version="2", scope="shop") as call:
            call.result({"paid": True})
        with self.run_.call("look") as call:
            call.result("no", outcome="tool_error")
        with self.run_.call("wait"):
            pass
        with self.assertRaises(KeyError), self.run_.call("lose", [1]):
            raise KeyError("x")
        self.assertEqual(
            self.ended(),
            [("pay", "ok", {"paid": True}), ("look", "tool_error", "no"), ("wait", "ok", "nothing"),
             ("lose", "tool_error", {"type": "builtins.KeyError", "message": "'x'"})],
        )  # fmt: skip

    def test_goal_and_answer_stand_in_the_close(self) -> None:
        with self.run_:
            with self.run_.call("a"):
                pass
            self.run_.answer("to pay", "paid: 3 €")
        (run,) = runs(self.store)
        kind, close = payloads(self.store, run)[-1]
        self.assertEqual((kind, close["close"]["goal"]), ("close", "to pay"))
        self.assertEqual(b64decode(close["outputs"]["result"]["b64"]).decode(), "paid: 3 €")
        self.assertEqual(payloads(self.store, run)[0][1]["run_by"], "toolreplay.record")


class Generators(Recorded):
    """The result is the list of what was given; closed early is cancelled."""

    def test_one_that_ends_gives_the_list_and_keeps_its_return(self) -> None:
        @self.run_.tool
        def numbers(count: int) -> Any:
            got = []
            for number in range(count):
                got.append((yield number))
            return got

        def around() -> Any:
            return (yield from numbers(2))

        stepping = around()
        self.assertEqual([next(stepping), stepping.send("a")], [0, 1])
        with self.assertRaises(StopIteration) as stopped:
            stepping.send("b")
        self.assertEqual(stopped.exception.value, ["a", "b"])
        self.assertEqual(self.ended(), [("numbers", "ok", [0, 1])])

    def test_closed_thrown_into_and_failing(self) -> None:
        closed = []

        @self.run_.tool
        def numbers() -> Iterator[int]:
            try:
                yield 1
                yield 2
            except KeyError:
                yield 3
            finally:
                closed.append(True)
            raise OSError("gone")

        for number in numbers():
            self.assertEqual(number, 1)
            break
        gc.collect()
        self.assertEqual(closed, [True])
        stepping: Any = numbers()
        next(stepping)
        self.assertEqual(stepping.throw(KeyError()), 3)
        with self.assertRaisesRegex(OSError, "gone"):
            next(stepping)
        numbers()  # nothing of it ever runs
        gone = {"type": "builtins.OSError", "message": "gone"}
        self.assertEqual(
            self.ended(), [("numbers", "cancelled", [1]), ("numbers", "tool_error", gone)]
        )

    def test_async_generators(self) -> None:
        @self.run_.tool
        async def numbers(count: int) -> AsyncIterator[int]:
            for number in range(count):
                await asyncio.sleep(0)
                yield number

        async def work() -> None:
            self.assertEqual([number async for number in numbers(3)], [0, 1, 2])
            stepping: Any = numbers(3)
            await anext(stepping)
            await stepping.aclose()

        asyncio.run(work())
        self.assertEqual(
            self.ended(), [("numbers", "ok", [0, 1, 2]), ("numbers", "cancelled", [0])]
        )

    def test_what_the_collector_closes_in_the_midst_of_an_entry_is_ended_behind_it(self) -> None:
        @self.run_.tool
        def numbers() -> Iterator[int]:
            yield 1
            yield 2

        with self.run_._recorders.using():
            self.assertTrue(self.run_._recorders.is_using)
        stepping: Any = numbers()
        next(stepping)
        with self.run_._recorders.using():
            stepping.close()
            with self.run_.call("b"):
                pass
        self.assertEqual(self.ended(), [("numbers", "cancelled", [1])])
        kinds = [kind for kind, _ in payloads(self.store, runs(self.store)[0])]
        self.assertEqual(kinds, ["open", "start", "call", "gap", "close"])

    def test_a_long_one_is_kept_in_its_beginning(self) -> None:
        items = Items()
        for _ in range(20):
            items.add("x" * (1 << 20))
        spelt = items.spelling()
        self.assertTrue(spelt.is_cut)
        self.assertLess(len(spelt.content), 8 << 20)
        self.assertEqual(len(json.loads(spelt.content)), 7)


class Async(Recorded):
    """Tasks keep their own parents; cancelled and late are outcomes."""

    def test_tasks(self) -> None:
        @self.run_.tool
        async def inner(number: int) -> int:
            await asyncio.sleep(0.001)
            return number

        @self.run_.tool
        async def outer(number: int) -> int:
            return sum(await asyncio.gather(inner(number), inner(number)))

        @self.run_.tool
        async def slow() -> None:
            await asyncio.sleep(30)

        async def work() -> None:
            self.assertEqual(await asyncio.gather(*map(outer, range(5))), [0, 2, 4, 6, 8])
            with self.assertRaises(TimeoutError):
                await asyncio.wait_for(slow(), 0.05)
            task = asyncio.create_task(slow())
            await asyncio.sleep(0.01)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        asyncio.run(work())
        found = self.receipts()
        places = {_numbered(one): one["binding"]["position"] for one in found if _is(one, "outer")}
        run = runs(self.store)[0]
        for one in found:
            if _is(one, "inner"):
                self.assertEqual(one["binding"]["parent"], f"{run}:{places[_numbered(one)]}")
        slow_ones = [one["outputs"]["status"] for one in found if _is(one, "slow")]
        self.assertEqual(slow_ones, ["cancelled", "cancelled"])


def _is(receipt: dict[str, Any], name: str) -> bool:
    return bool(receipt["tool"]["name"] == name)


def _numbered(receipt: dict[str, Any]) -> int:
    number: int = _value(receipt["inputs"]["args"])["number"]
    return number


class ItStaysWhatItWas(Recorded):
    """A recorded function is introspectable, and recorded once."""

    def test_its_kind_name_and_signature(self) -> None:
        def plain(a: int, b: int = 2) -> int:
            """Say."""
            return a + b

        def generator() -> Iterator[int]:
            yield 1

        async def coroutine() -> None: ...

        async def async_generator() -> AsyncIterator[int]:
            yield 1

        for function in (plain, generator, coroutine, async_generator):
            wrapped = self.run_.tool(function)  # type: ignore[type-var]
            with self.subTest(function.__name__):
                for look in (inspect.signature, inspect.isgeneratorfunction, inspect.getdoc,
                             inspect.iscoroutinefunction, inspect.isasyncgenfunction):  # fmt: skip
                    self.assertEqual(look(wrapped), look(function))
                self.assertEqual(wrapped.__qualname__, function.__qualname__)
                self.assertIs(wrapped.__wrapped__, function)  # type: ignore[attr-defined]

    def test_twice_is_once(self) -> None:
        def retried(function: Any) -> Any:
            @functools.wraps(function)
            def call(*args: Any) -> Any:
                return function(*args)

            return call

        @self.run_.tool
        @retried
        @self.run_.tool
        def pay() -> None: ...

        pay()
        self.assertEqual(len(self.receipts()), 1)

    def test_what_has_no_name_is_given_one(self) -> None:
        with self.assertRaisesRegex(TypeError, "no function with a name"):
            self.run_.tool(functools.partial(int, "7"))
        seven = self.run_.tool(name="seven", version="7", scope="s")(functools.partial(int, "7"))
        self.assertEqual(seven(), 7)
        biggest = self.run_.tool(max)
        self.assertEqual(biggest(1, 2), 2)
        first, second = self.receipts()
        self.assertEqual(first["tool"], {"name": "seven", "version": "7", "scope": "s"})
        self.assertEqual(_value(second["inputs"]["args"]), {"args": [1, 2], "kwargs": {}})


class Values(unittest.TestCase):
    """Toolreplay-1, and what has no form in it."""

    def test_each(self) -> None:
        class Sum(int): ...

        class Colour(Enum):
            RED = "red"

        here = f"{__name__}.Values.test_each.<locals>"
        loop: list[Any] = [1]
        loop.append(loop)
        deep: Any = None
        for _ in range(300):
            deep = [deep]
        table: tuple[tuple[Any, Any, str], ...] = (
            (
                {"b": [1, 2.5, True, None], "a": "é"},
                {"b": [1, 2.5, True, None], "a": "é"},
                "parsed",
            ),
            ((1, (2,)), [1, [2]], "rendered"),
            (object(), {"unrepresented": "builtins.object"}, "rendered"),
            ([Sum(1)], [{"unrepresented": f"{here}.Sum"}], "rendered"),
            ({"c": Colour.RED}, {"c": {"unrepresented": f"{here}.Colour"}}, "rendered"),
            ({1: 2}, {"unrepresented": "builtins.dict"}, "rendered"),
            (b"x", {"unrepresented": "builtins.bytes"}, "rendered"),
            ([float("nan")], [{"unrepresented": "builtins.float"}], "rendered"),
            (10**5000, {"unrepresented": "builtins.int"}, "rendered"),
            ("\ud83d\ude00", {"unrepresented": "builtins.str"}, "rendered"),
            ("\ud83d", "\ud83d", "parsed"),
            (loop, [1, {"unrepresented": "builtins.list"}], "rendered"),
            ([[1]] * 2, [[1], [1]], "parsed"),
        )
        for row, (value, expected, fidelity) in enumerate(table):
            with self.subTest(row):
                spelt = spelling_of(value)
                self.assertEqual((json.loads(spelt.content), spelt.fidelity), (expected, fidelity))
                self.assertFalse(spelt.is_cut)
        self.assertIn(b'{"unrepresented":"builtins.list"}', spelling_of(deep).content)
        for large in ("x" * (9 << 20), [0] * 600_000):
            expected = {"unrepresented": f"builtins.{type(large).__name__}"}
            spelt = spelling_of(large)
            self.assertEqual((json.loads(spelt.content), spelt.is_cut), (expected, True))


class ManyAtOnce(Recorded):
    """One chain per run, whichever threads and processes feed it."""

    def test_threads(self) -> None:
        @self.run_.tool
        def add(a: int, b: int) -> int:
            if b % 10 == 9:
                raise ValueError("no")
            return a + b

        def work(a: int) -> None:
            for b in range(50):
                with contextlib.suppress(ValueError):
                    add(a, b)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found = self.receipts()
        self.assertEqual(len(runs(self.store)), 1)
        self.assertEqual([one["binding"]["position"] for one in found], list(range(1, 801)))
        self.assertEqual({one["binding"]["seq"] for one in found}, set(range(1, 801)))
        for one in found:
            args = _value(one["inputs"]["args"])
            status = "tool_error" if args["b"] % 10 == 9 else "ok"
            self.assertEqual(one["outputs"]["status"], status)

    def test_forks_feed_the_same_run_while_threads_record(self) -> None:
        @self.run_.tool
        def add(a: int, b: int) -> int:
            return a + b

        def in_child(number: int) -> None:
            for b in range(10):
                add(number, b)
            self.run_.close()

        stop = threading.Event()

        def work() -> None:
            while not stop.is_set():
                add(0, 0)

        add(0, 0)
        thread = threading.Thread(target=work)
        thread.start()
        context = multiprocessing.get_context("fork")
        children = [context.Process(target=in_child, args=(number,)) for number in range(1, 5)]
        for child in children:
            child.start()
        for child in children:
            child.join(60)
            self.assertEqual(child.exitcode, 0)
        stop.set()
        thread.join()
        found = self.receipts()
        self.assertEqual(len(runs(self.store)), 1)
        self.assertEqual(
            [one["binding"]["position"] for one in found], list(range(1, len(found) + 1))
        )
        writers = {one["capture"]["writer"]["pid"] for one in found}
        self.assertEqual(writers, {os.getpid(), *(child.pid for child in children)})
        by_children = [one for one in found if _value(one["inputs"]["args"])["a"] > 0]
        self.assertEqual(len(by_children), 40)
        self.assertEqual(payloads(self.store, runs(self.store)[0])[-1][0], "close")

    def test_a_fork_within_a_call_ends_it_once_where_it_began(self) -> None:
        inner = self.run_.tool(name="inner")(lambda: None)

        @self.run_.tool
        def fork() -> int:
            return os.fork()

        pid = fork()
        if not pid:
            inner()
            os._exit(0)
        os.waitpid(pid, 0)
        found = [(name, status) for name, status, _ in self.ended()]
        self.assertEqual(found, [("fork", "ok"), ("inner", "ok")])

    def test_starting_programs_and_an_end_without_a_word(self) -> None:
        code = (
            "import subprocess, sys, toolreplay\n"
            "run = toolreplay.record(sys.argv[1])\n"
            "@run.tool\n"
            "def ask(): return subprocess.run(['true']).returncode\n"
            "ask()\n"
        )
        done = subprocess.run(
            [sys.executable, "-S", "-c", code, self.store],
            capture_output=True,
            cwd=ROOT,
            check=False,
        )
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        kinds = [kind for kind, _ in payloads(self.store, runs(self.store)[0])]
        self.assertEqual(kinds, ["open", "start", "call", "close"])

    def test_processes_that_open_and_close_one_store_all_the_time_lose_nothing(self) -> None:
        code = (
            "import sys, toolreplay\n"
            "run = toolreplay.record(sys.argv[1], run='all', strict=True)\n"
            "f = run.tool(name='f')(lambda number: number)\n"
            "for number in range(12):\n"
            "    f(number)\n"
            "    if number % 3 == 2: run._recorders._recorder.let_go()\n"
            "run.close()\n"
        )
        words = [sys.executable, "-S", "-c", code, self.store]
        processes = [subprocess.Popen(words, stderr=subprocess.PIPE, cwd=ROOT) for _ in range(5)]
        for process in processes:
            self.assertEqual((process.communicate(timeout=60)[1], process.returncode), (b"", 0))
        found = [one for run in runs(self.store) for one in receipts(self.store, run)]
        self.assertEqual(len(found), 60)
        done = subprocess.run(
            [sys.executable, "-S", "-m", "toolreplay", "store", "check", self.store],
            capture_output=True, cwd=ROOT, check=False,
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_who_names_a_run_feeds_it_and_who_comes_after_a_close_opens_another(self) -> None:
        one, two = (toolreplay.record(self.store, run="both") for _ in range(2))
        for each in (one, two):
            with each.call("a"):
                pass
        self.assertEqual(one.id, two.id)
        one.close()
        two.close()
        with one, one.call("a"):
            pass
        self.assertEqual(len(runs(self.store)), 2)


class NothingCanBeWritten(Recorded):
    """Decided by us: calls go on, unless they were asked not to."""

    def test_calls_go_on(self) -> None:
        self.store.mkdir()
        with toolreplay.record(self.store) as run:
            self.assertEqual(run.tool(name="f")(lambda: 7)(), 7)
            self.assertTrue(run.failure)

    def test_with_strict_the_function_does_not_run(self) -> None:
        self.store.mkdir()
        ran = []
        run = toolreplay.record(self.store, strict=True)
        with self.assertRaises(RecordingError):
            run.tool(name="f")(lambda: ran.append(1))()
        with self.assertRaises(RecordingError), run.call("a"):
            ran.append(1)
        self.assertEqual(ran, [])

    def test_with_strict_an_error_of_the_function_stays_its_own(self) -> None:
        class Sink:
            """A store whose disk is full from the second entry on."""

            def __init__(self, path: str) -> None:
                self._store, self._left = sink_into(path), 2

            def __getattr__(self, name: str) -> Any:
                return getattr(self._store, name)

            def append(self, *entry: Any) -> Any:
                self._left -= 1
                if self._left < 0:
                    raise StoreFailedError("store", "disk full")
                return self._store.append(*entry)

        plan = plan_of(denies=True)
        path = os.fspath(self.store)
        for error, expected in ((ValueError("mine"), ValueError), (None, RecordingError)):

            def fail(error: Exception | None = error) -> int:
                if error is not None:
                    raise error
                return 7

            run = RecordedRun(lambda: Recorder(lambda: Sink(path), plan, Redactor(), now))
            with self.subTest(expected), self.assertRaises(expected):
                run.tool(fail)()

    def test_what_cannot_be_meant(self) -> None:
        with self.assertRaisesRegex(UsageError, "redact is one of full, redacted, hash-only"):
            toolreplay.record(self.store, redact="some")


class Secrets(Recorded):
    """Whatever is kept went through the redactor first: arguments, results, texts of errors."""

    def test_each_place(self) -> None:
        class Hiding(Redactor):
            """Stands for the rules: hides one word."""

            def redacted(self, content: bytes) -> Redacted:
                hidden = content.replace(b"hunter2", b"[redacted:word]")
                return Redacted(hidden, (("", "word"),) if hidden != content else ())

        path = os.fspath(self.store)
        plan = plan_of(key=None)

        def work() -> None:
            run = RecordedRun(lambda: Recorder(lambda: sink_into(path), plan, Hiding(), now))

            @run.tool
            def log_in(word: str) -> Iterator[str]:
                yield word
                raise ValueError(f"not {word}")

            with run:
                with self.assertRaisesRegex(ValueError, "not hunter2"):
                    list(log_in("hunter2"))
                for _ in log_in("hunter2"):
                    break
                with run.call("hunter2", "hunter2") as call:
                    call.result("hunter2")
                run.answer("hunter2", "hunter2")

        work()
        data = b"".join(each.read_bytes() for each in self.store.parent.iterdir())
        for secret in (b"hunter2", b"aHVudGVyM", b"h1bnRlcj", b"odW50ZXIy"):
            self.assertNotIn(secret, data)
        first = receipts(self.store, runs(self.store)[0])[0]
        self.assertEqual(
            _value(first["outputs"]["result"]),
            {"type": "builtins.ValueError", "message": "not [redacted:word]"},
        )
        self.assertEqual(first["outputs"]["redactions"], [{"path": "", "rule": "word"}])


class OthersCheckIt(Recorded):
    """The bundle on a bare interpreter, and each receipt by the reader of AER-1."""

    def test_a_run_of_each_kind(self) -> None:
        reader = pytest.importorskip("aer1_verify")

        @self.run_.tool
        def add(a: object, b: object = None) -> object:
            if b == 0:
                raise ValueError("no \ud83d")
            return a

        with self.run_:
            for a in (1, "é", (1, object()), "x" * 10_000):
                add(a)
            with self.assertRaises(ValueError):
                add(1, 0)
            with self.run_.call("pay"):
                pass
            self.run_.answer("all", "done")
        (run,) = runs(self.store)
        with reading_of_store(os.fspath(self.store)) as (connection, name):
            tables = LogTables(connection, name)
            for entry in tables.entries(run):
                leaf = parse_leaf(entry.leaf)
                if leaf.kind in ("call", "close"):
                    kept = tables.payload(leaf.commit)
                    assert kept is not None
                    passed, checks, _, _ = reader.verify(json.loads(kept[0]), None)
                    self.assertTrue(passed, checks)
        bundle = self.store.with_name("x.run.jsonl")
        program = [sys.executable, "-S", "-m", "toolreplay"]
        for words in (["export", f"{self.store}#{run}", "-o", bundle], ["verify", bundle]):
            done = subprocess.run([*program, *words], capture_output=True, cwd=ROOT, check=False)
            self.assertEqual(done.returncode, 0, (done.stdout, done.stderr))
        self.assertIn(b"contents (6 of 6)", done.stdout)


if __name__ == "__main__":
    unittest.main()
