"""recompute: do the record's own commitments still come out?

Finds            in a record of receipts: a receipt whose bytes, members or
                 pieces are not what it commits to (broken-commitment), a
                 piece that is not there (missing-piece), a receipt that does
                 not follow from the one before it (broken-link), stands twice
                 (duplicate-receipt) or is gone (missing-receipt), an intent,
                 gap or other entry that is gone (missing-entry), a run
                 without its close (unclosed-run) or without its tail
                 (truncated-run), a call behind the close (call-after-close),
                 and a root, step or commitment that is not what the receipts
                 give (root-mismatch, workflow-mismatch, commitment-mismatch).
                 Of a run in a log: an entry that is not under the log's root
                 (broken-inclusion), a head of another log, size or root
                 (head-mismatch), one whose signature does not hold
                 (bad-signature) or is by no key given (unknown-signer), a
                 log that was shown otherwise before (forked-log) or longer
                 (rolled-back-log), and of a store a subtree that is not that
                 of its leaves (derived-table).
                 In a sealed transcript: the first link that does not follow
                 from the one before it (broken-link).
Matters because  everything else is judged on what the record says. If the
                 record was changed after it was made, those judgements are
                 about something that did not happen.
Decides by       recomputing: each receipt by AER-1, then its own profile
                 against the receipt around it, each piece by its digest, the
                 order by seq, prev_digest and position, all other entries by
                 the digest over them in the close receipt, then the roots,
                 steps and commitment from the receipts. In a log, each leaf
                 against its entry and the leaf before it, each path to one
                 root (RFC 9162), the head by the keys given and by the head
                 that was remembered. Of a seal, each link in order: index,
                 then prev, then digest (SHA-256 of the toolreplay-1 form of
                 {args, index, prev, response, tool}); the first break is
                 reported and all calls are judged as they stand. A consequence
                 is no second finding: where receipts do not hold, what is
                 computed from them is not compared.
Cannot see       a tail that was cut off and closed again, and a record that
                 was made anew from the start: whoever holds it can do both.
                 What was kept elsewhere shows them (`verify --commitment` or
                 `--root`, of a seal `--against`; of a log the head that was
                 remembered, against its own signer too). Nor whether what was
                 recorded ever happened, nor calls that nothing recorded. The
                 values under `unbound` in the report: nothing commits to them.
Example          index 1: broken-commitment: digest: output_hash is not the
                 SHA-256 of the decoded bytes
"""

from toolreplay.audits.engine import Audit, Declared, Options
from toolreplay.audits.recompute.receipts import ReceiptAudit
from toolreplay.audits.recompute.seals import NothingCommitted, SealAudit
from toolreplay.findings.rule import Rule
from toolreplay.records.run import SEALED, RunInfo

__all__ = ["RULES", "start"]


def _rule(kind: str, line: str, meaning: str) -> Rule:
    return Rule(kind, line, "error", meaning, final=True)


RULES = (
    _rule("broken-commitment", "contents", "a record is not what it commits to: it was edited"),
    _rule("missing-piece", "contents", "content that a receipt commits to is not in the record"),
    _rule("missing-entry", "contents", "an intent, a gap or another entry was taken out"),
    _rule("broken-link", "links", "a link does not follow from the one before it"),
    _rule("duplicate-receipt", "links", "a receipt, or its id, stands twice in the run"),
    _rule("missing-receipt", "links", "a receipt in the middle of the run was taken out"),
    _rule("call-after-close", "ending", "a call stands behind the close, which ends a record"),
    _rule("unclosed-run", "ending", "the run has no close receipt: its tail may be missing"),
    _rule("truncated-run", "ending", "the end of the record is missing"),
    _rule("root-mismatch", "ending", "a workflow root is not the one that the receipts give"),
    _rule("workflow-mismatch", "ending", "the workflow close does not say what the receipts say"),
    _rule("commitment-mismatch", "ending", "a commitment is not over this chain"),
    _rule("bad-signature", "signer", "a key that was given did not sign what is said to be signed"),
    _rule("unknown-signer", "signer", "the head is signed, and by none of the keys given"),
    _rule("broken-inclusion", "log", "a path does not lead to the root of the log"),
    _rule("head-mismatch", "log", "the head of the log is not that of these entries"),
    _rule("forked-log", "log", "the log was shown with another history before"),
    _rule("rolled-back-log", "log", "the log is smaller than a head of it that was signed"),
    _rule("derived-table", "log", "what a store keeps to find things is not what its leaves say"),
)


def start(info: RunInfo, declared: Declared, options: Options) -> Audit:
    """Begin the audit of one run."""
    if info.evidence is not None:
        return ReceiptAudit(info.evidence, declared.asked)
    return SealAudit(declared.head) if info.form == SEALED else NothingCommitted()
