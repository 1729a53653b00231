"""The configurations of clients on this machine, and the programs that record for them."""

import os
import sys
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from toolreplay.cli.checkup.round_trip import LINE, round_trip
from toolreplay.cli.itself import own_command, own_environment
from toolreplay.cli.wrapping.config import config_of
from toolreplay.cli.wrapping.config_file import read_config
from toolreplay.cli.wrapping.places import Place
from toolreplay.cli.wrapping.standing import Standing, standing_of
from toolreplay.errors import InputError
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED, Check

__all__ = ["Client", "clients_at", "orphans_check", "round_trips", "wrapped_check"]


class Client(NamedTuple):
    """A configuration: whose it is, its servers, and what is wrong with the file."""

    place: Place
    servers: list[Standing]
    fault: str


def clients_at(places: Iterable[Place]) -> list[Client]:
    """Return what is known of each configuration that is there."""
    found = []
    for place in places:
        try:
            config = config_of(place.path, read_config(place.path).data)
        except InputError as error:
            found.append(Client(place, [], error.what))
        else:
            found.append(Client(place, standing_of(config), ""))
    return found


def wrapped_check(clients: Sequence[Client]) -> Check:
    """Say how many servers are wrapped; one that is wrapped by what is gone has failed."""
    servers = [each for client in clients for each in client.servers]
    wrapped = sum(each.result == PASSED for each in servers)
    count = f"{wrapped} of {len(servers)} servers"
    broken = [each for each in servers if each.result == FAILED and each.server.wrapped is not None]
    unreadable = [client for client in clients if client.fault]
    if broken:
        return Check(
            "wrapped", FAILED, f"{broken[0].server.shown} {broken[0].what}",
            remedy="toolreplay wrap CONFIG --undo, then --write",
        )  # fmt: skip
    if unreadable:
        what = f"{unreadable[0].place.path}: {unreadable[0].fault}"
        return Check("wrapped", NOT_CHECKED, reason=what)
    if not servers:
        return Check(
            "wrapped", NOT_CHECKED, reason="no server of a known client is configured here",
            remedy="toolreplay doctor CONFIG",
        )  # fmt: skip
    if wrapped < len(servers):
        can_be = any(each.result == FAILED for each in servers)
        return Check(
            "wrapped", NOT_CHECKED, reason=f"{count}; calls of the others are not recorded",
            remedy="toolreplay wrap CONFIG --write" if can_be else None,
        )  # fmt: skip
    return Check("wrapped", PASSED, count)


def round_trips(clients: Sequence[Client]) -> list[Check]:
    """Make a round trip by each program that records for a client, by this one where none does.

    A configuration may name any program: only this very one is started.
    """
    named = {
        each.server.wrapped.program
        for client in clients
        for each in client.servers
        if each.result == PASSED and each.server.wrapped is not None
    }
    found = [_foreign(program) for program in sorted(named) if not _is_this(program)]
    if len(found) < len(named) or not named:
        found.append(round_trip(own_command(), own_environment()))
    return found


def _is_this(program: tuple[str, ...]) -> bool:
    own = own_command()
    if len(own) != len(program) or own[1:3] != list(program[1:3]):
        return False
    try:
        is_same = own[3] == program[3] or (own[2] == "-S" and os.path.samefile(own[3], program[3]))
        return is_same and os.path.samefile(sys.executable, program[0])
    except OSError:
        return False


def _foreign(program: tuple[str, ...]) -> Check:
    return Check(
        LINE, NOT_CHECKED, reason="another program records, and is not started from here",
        remedy=f"{' '.join(program)} doctor",
    )  # fmt: skip


def orphans_check() -> Check:
    """Say what becomes of a server when the program that wraps it is killed."""
    if sys.platform != "linux":
        return Check(
            "orphans", NOT_CHECKED,
            reason="a server gets the end of its input, and may outlive its wrapper",
        )  # fmt: skip
    return Check("orphans", PASSED, "a server is killed with its wrapper, not what it started")
