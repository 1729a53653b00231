"""The signature of a seal's head: the head's four lines as the text of a signed note.

A head cannot pass for the checkpoint of a log, nor the other way round, though one key may sign
both: the third line of a checkpoint is a root of 32 bytes, which 64 hex digits do not spell
(C2SP tlog-checkpoint).
"""

from collections.abc import Sequence

from toolreplay.errors import InputError
from toolreplay.evidence.seal import head_text, parse_head
from toolreplay.evidence.tlog.cosignature import signature_holds
from toolreplay.evidence.tlog.note import VerifierKey, parse_note, signed_by
from toolreplay.findings.check import FAILED, NOT_CHECKED, PASSED, Check

__all__ = ["head_signer"]


def head_signer(data: bytes, keys: Sequence[VerifierKey], where: str) -> Check:
    """Answer the line `signer` for a head that was kept, by the keys given.

    Without any key nothing is said about a signature, not even that it is one. Raises InputError
    for a head that has none, or says more than a head does.
    """
    if not keys:
        return Check("signer", NOT_CHECKED, None, "no key given", "add --key VKEY")
    if b"\n\n" not in data:
        raise InputError(where, "the head has no signature (seal --head FILE --sign KEY makes one)")
    note = parse_note(data, where)
    if note.text != head_text(parse_head(data, where)):
        raise InputError(where, "what is signed is not the four lines of a head")
    verdict = signed_by(note, keys, signature_holds)
    if verdict.failed:
        name = verdict.failed[0].name
        return Check("signer", FAILED, f"the signature of {name} does not hold")
    if not verdict.signers:
        return Check("signer", FAILED, "no key given signed the head")
    names = dict.fromkeys(key.name for key in verdict.signers)
    return Check("signer", PASSED, ", ".join(names))
