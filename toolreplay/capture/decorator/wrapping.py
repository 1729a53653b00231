"""The four kinds of functions, each wrapped so that it stays what it is to whoever looks at it.

A generator's call begins when its code does, at the first value that is asked for; its result is
the list of the values it gave.
"""

import functools
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import suppress
from typing import Any, NamedTuple

from toolreplay.capture.decorator.calls import Begun, outcome_of, outcome_of_error
from toolreplay.capture.decorator.values import Items, spelling_of
from toolreplay.capture.observed import Intent
from toolreplay.errors import RecordingError

__all__ = ["Tool", "recorded"]

_MARK = "__toolreplay_recorded__"
"""On a function that is recorded; what other decorators copy from it keeps it."""

_Begin = Callable[[Intent], Begun]
_Enter = Callable[[tuple[Any, ...], dict[str, Any]], Begun]


class Tool(NamedTuple):
    """How a function is called in the record; None where it is by the function itself."""

    name: str | None
    version: str
    scope: str | None


def recorded(function: Any, tool: Tool, begin: _Begin) -> Any:
    """Return a function that records its calls; one that does already as it is.

    Raises TypeError for what can be called but has no name, where none is given.
    """
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(recorded(function.__func__, tool, begin))
    if getattr(function, _MARK, False):
        return function
    name = tool.name or getattr(function, "__name__", None)
    if not callable(function) or name is None:
        raise TypeError(f"{function!r} is no function with a name (tool(name=…) gives it one)")
    scope = tool.scope or f"python:{getattr(function, '__module__', None) or 'unknown'}"
    arguments_of = _arguments_of(function)

    def enter(args: tuple[Any, ...], named: dict[str, Any]) -> Begun:
        spelt = spelling_of(arguments_of(args, named))
        intent = Intent(name, spelt.content, tool.version, scope, fidelity=spelt.fidelity)
        return begin(intent)

    wrapper = functools.wraps(function)(_wrapper_for(function)(function, enter))
    setattr(wrapper, _MARK, True)
    return wrapper


def _wrapper_for(function: Any) -> Callable[[Any, _Enter], Any]:
    if inspect.isasyncgenfunction(function):
        return _async_generator
    if inspect.iscoroutinefunction(function):
        return _coroutine
    return _generator if inspect.isgeneratorfunction(function) else _plain


def _arguments_of(function: Any) -> Callable[[tuple[Any, ...], dict[str, Any]], dict[str, Any]]:
    """Return what makes one object of the arguments of a call, by parameter name."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a function in C need not say
        return _as_given
    kinds = {name: parameter.kind for name, parameter in signature.parameters.items()}
    own = next(iter(kinds), "") if _is_method(function) else None

    def arguments_of(args: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        try:
            bound = signature.bind(*args, **named)
        except TypeError:  # which the function is about to say itself
            return _as_given(args, named)
        bound.apply_defaults()
        return {
            name: list(value) if kinds[name] is inspect.Parameter.VAR_POSITIONAL else value
            for name, value in bound.arguments.items()
            if name != own
        }

    return arguments_of


def _is_method(function: Any) -> bool:
    """Whether a function stands in a class and takes its instance, or the class, first."""
    place = getattr(function, "__qualname__", "").rpartition(".")[0]
    if not place or place.endswith("<locals>"):
        return False
    first = next(iter(inspect.signature(function).parameters), "")
    return first in ("self", "cls")


def _as_given(args: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    return {"args": list(args), "kwargs": named}


def _plain(function: Callable[..., Any], enter: _Enter) -> Callable[..., Any]:
    def call(*args: Any, **named: Any) -> Any:
        begun = enter(args, named)
        try:
            with begun.within():
                value = function(*args, **named)
        except BaseException as error:
            begun.failed(error)
            raise
        begun.end(outcome_of("ok", spelling_of(value)))
        return value

    return call


def _coroutine(function: Callable[..., Awaitable[Any]], enter: _Enter) -> Callable[..., Any]:
    async def call(*args: Any, **named: Any) -> Any:
        begun = enter(args, named)
        try:
            with begun.within():
                value = await function(*args, **named)
        except BaseException as error:
            begun.failed(error)
            raise
        begun.end(outcome_of("ok", spelling_of(value)))
        return value

    return call


def _generator(
    function: Callable[..., Generator[Any, Any, Any]], enter: _Enter
) -> Callable[..., Generator[Any, Any, Any]]:
    def call(*args: Any, **named: Any) -> Generator[Any, Any, Any]:
        begun, given = enter(args, named), Items()
        try:
            with begun.within():
                inner = function(*args, **named)
                value = next(inner)
            while True:
                given.add(value)
                try:
                    sent = yield value
                except GeneratorExit:
                    with begun.within():
                        inner.close()
                    raise
                except BaseException as error:  # noqa: BLE001 - it is thrown into the generator
                    thrown = error
                    with begun.within():
                        value = inner.throw(thrown)
                else:
                    with begun.within():
                        value = inner.send(sent)
        except StopIteration as stop:
            begun.end(outcome_of("ok", given.spelling()))
            return stop.value
        except BaseException as error:
            _end_half(begun, error, given)
            raise

    return call


def _async_generator(
    function: Callable[..., AsyncGenerator[Any, Any]], enter: _Enter
) -> Callable[..., AsyncGenerator[Any, Any]]:
    async def call(*args: Any, **named: Any) -> AsyncGenerator[Any, Any]:
        begun, given = enter(args, named), Items()
        try:
            with begun.within():
                inner = function(*args, **named)
                value = await anext(inner)
            while True:
                given.add(value)
                try:
                    sent = yield value
                except GeneratorExit:
                    with begun.within():
                        await inner.aclose()
                    raise
                except BaseException as error:  # noqa: BLE001 - it is thrown into the generator
                    thrown = error
                    with begun.within():
                        value = await inner.athrow(thrown)
                else:
                    with begun.within():
                        value = await inner.asend(sent)
        except StopAsyncIteration:
            begun.end(outcome_of("ok", given.spelling()))
        except BaseException as error:
            _end_half(begun, error, given)
            raise

    return call


def _end_half(begun: Begun, error: BaseException, given: Items) -> None:
    """Record a generator that did not come to its end: of one that was left, what it gave."""
    if outcome_of_error(error).status == "cancelled":
        with suppress(RecordingError):
            begun.end(outcome_of("cancelled", given.spelling()))
    else:
        begun.failed(error)
