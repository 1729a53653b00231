"""Trust policies: which logs are known, and which witnesses must have cosigned (C2SP tlog-policy).

    log <vkey> [<url>]
    witness <name> <vkey> [<url>]
    group <name> all|any|<k> <name>…
    quorum <name>|none

A line may refer only to names that stand above it, and each name is a member of one group at most,
so that no witness counts twice. Where other readers are laxer (two quorum lines, k = 0, one key
under two names, a key that cannot cosign) the text is followed. URLs are checked by nobody here.
"""

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from toolreplay.errors import InputError
from toolreplay.evidence.tlog.note import (
    ED25519,
    ED25519_COSIGNATURE,
    ML_DSA_44_COSIGNATURE,
    VerifierKey,
    parse_vkey,
)

__all__ = ["Group", "Policy", "parse_policy", "why_unmet"]

_NOBODY = "none"
"""The quorum that asks for no witness."""

_POLICY_BYTES = 1_000_000
_MOST_NAMES = 256
"""The most logs, witnesses and groups together; C2SP recommends 32 of each at least."""

_LOG_KINDS = {ED25519, ML_DSA_44_COSIGNATURE}
_WITNESS_KINDS = {ED25519_COSIGNATURE, ML_DSA_44_COSIGNATURE}
_NOT_ALLOWED = bytes({*range(0x20), 0x7F} - {0x09, 0x0A})
_THRESHOLD = re.compile("[1-9][0-9]{0,8}")


class Group(NamedTuple):
    """A group cosigns when at least `threshold` of its members, witnesses or groups, do."""

    threshold: int
    members: tuple[str, ...]


class Policy(NamedTuple):
    """What a policy says; groups stand in the order of the file, each after its members."""

    logs: tuple[VerifierKey, ...]
    witnesses: Mapping[str, VerifierKey]
    groups: Mapping[str, Group]
    quorum: str


def parse_policy(data: bytes, where: str) -> Policy:
    """Read a policy strictly. Raises InputError naming `where` and the line."""
    if len(data) > _POLICY_BYTES:
        raise InputError(where, f"a policy of more than {_POLICY_BYTES:,} bytes")
    if not data.endswith(b"\n") or len(data.translate(None, _NOT_ALLOWED)) != len(data):
        raise InputError(where, "a policy must end with LF and have no control character but tabs")
    reading = _Reading()
    # Names are opaque bytes: what is no UTF-8 keeps its difference as lone surrogates.
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    for number, line in enumerate(lines, 1):
        words = line.replace("\t", " ").split(" ")
        words = [word for word in words if word]
        if words and not words[0].startswith("#"):
            reading.take(words, f"{where}, line {number}")
    if reading.quorum is None:
        raise InputError(where, "a policy without a quorum line")
    return Policy(tuple(reading.logs), reading.witnesses, reading.groups, reading.quorum)


class _Reading:
    """What the lines so far have said."""

    def __init__(self) -> None:
        self.logs: list[VerifierKey] = []
        self.witnesses: dict[str, VerifierKey] = {}
        self.groups: dict[str, Group] = {}
        self.quorum: str | None = None
        self._members: set[str] = set()

    def take(self, words: list[str], where: str) -> None:
        kind, *rest = words
        if len(self.logs) + len(self.witnesses) + len(self.groups) > _MOST_NAMES:
            raise InputError(where, f"more than {_MOST_NAMES} logs, witnesses and groups")
        if kind == "log" and len(rest) in (1, 2):
            self.logs.append(_key(rest[0], _LOG_KINDS, self.logs, where))
        elif kind == "witness" and len(rest) in (2, 3):
            key = _key(rest[1], _WITNESS_KINDS, self.witnesses.values(), where)
            self._refuse_known(rest[0], where)
            self.witnesses[rest[0]] = key
        elif kind == "group" and len(rest) >= 3:
            self._refuse_known(rest[0], where)
            self.groups[rest[0]] = self._group(rest[1], rest[2:], where)
        elif kind == "quorum" and len(rest) == 1:
            if self.quorum is not None:
                raise InputError(where, "a second quorum line")
            if rest[0] != _NOBODY:
                self._refuse_unknown(rest[0], where)
            self.quorum = rest[0]
        else:
            raise InputError(where, "not a log, witness, group or quorum line of a policy")

    def _group(self, threshold: str, members: list[str], where: str) -> Group:
        for name in members:
            self._refuse_unknown(name, where)
            if name in self._members:
                raise InputError(where, f"{name} is a member of a group already")
            self._members.add(name)
        if threshold in ("any", "all"):
            return Group(1 if threshold == "any" else len(members), tuple(members))
        if _THRESHOLD.fullmatch(threshold) is None or int(threshold) > len(members):
            raise InputError(where, f"a group of {len(members)} takes any, all, or 1 to that many")
        return Group(int(threshold), tuple(members))

    def _refuse_known(self, name: str, where: str) -> None:
        if name == _NOBODY or name in self.witnesses or name in self.groups:
            raise InputError(where, f"the name {name} is taken already")

    def _refuse_unknown(self, name: str, where: str) -> None:
        if name not in self.witnesses and name not in self.groups:
            raise InputError(where, f"no line above names {name}")


def _key(text: str, kinds: set[int], others: Collection[VerifierKey], where: str) -> VerifierKey:
    key = parse_vkey(text, where)
    if key.kind not in kinds:
        raise InputError(where, f"a key of type 0x{key.kind:02x}, which does not sign like that")
    if any(key.public == other.public for other in others):
        raise InputError(where, "the same key stands on a line above")
    return key


def why_unmet(policy: Policy, origin: str | None, signed: Collection[VerifierKey]) -> str:
    """Return why a head of this origin is not valid under a policy, or "" where it is.

    `signed` are the keys of which a signature of the head holds. One of the logs, where any are
    listed, must be among them under the name of the origin, and enough witnesses for the quorum.
    """
    if policy.logs and not any(key.name == origin and key in signed for key in policy.logs):
        return "no log of the policy signed it"
    there = {name for name, key in policy.witnesses.items() if key in signed}
    for name, group in policy.groups.items():
        if len(there.intersection(group.members)) >= group.threshold:
            there.add(name)
    if policy.quorum == _NOBODY or policy.quorum in there:
        return ""
    quorum = policy.groups.get(policy.quorum, Group(1, (policy.quorum,)))
    missing = [name for name in quorum.members if name not in there]
    return (
        f"{len(quorum.members) - len(missing)} of the {quorum.threshold} needed for quorum "
        f"{policy.quorum} ({', '.join(missing)} missing)"
    )
