"""The words of a record of receipts, for `findings/words.py`: (sentences, Japanese term)."""

__all__ = ["RECORD_WORDS"]

RECORD_WORDS: dict[str, tuple[str, str]] = {
    "timeline": (
        "Receipts of one job as chained entries: each carries the digest of the one before it.",
        "タイムライン",
    ),
    "workflow close": (
        "The document that ends a workflow: its steps, and one root over their results.",
        "ワークフローの締め",
    ),
    "anchor": (
        (
            "What a receipt says of the log it stands in. It is compared with the receipt; no log is "
            "ever contacted, and no verdict rests on it."
        ),
        "アンカー",
    ),
    "envelope": ("An object around a receipt, which is its member `receipt`.", "封筒"),
    "core tier": (
        "The reading of the AER-1 conformance kit: eight members and their shapes (--core).",
        "コア水準",
    ),
    "agree": (
        "Cases of AER-1 whose answers here are those that other programs gave.",
        "一致",
    ),
    "differ": ("Cases of AER-1 that came out otherwise than expected.", "不一致"),
    "seal": (
        "The hash chain of a transcript: each call carries the digest of the one before it.",
        "封印",
    ),
    "receipt": (
        (
            "A small document about one call (format AER-1) that commits to exact bytes: the tool, "
            "what was sent, what came back, when, who wrote it down, and the receipt before it. Its "
            "digest changes with any of them, so anyone who can compute SHA-256 sees that one was "
            "changed, unless all behind it were made anew (see: toolreplay explain ending). It does "
            "not show that the call happened. `toolreplay receipt make` makes receipts of a "
            "transcript; a plain transcript has none."
        ),
        "レシート",
    ),
    "bundle": (
        (
            "One file with all receipts of a run, what they refer to and what follows from them; it "
            "can be checked with nothing else at hand. That it was cut or made anew shows only "
            "against what was kept elsewhere (its commitment or its root)."
        ),
        "証拠ファイル",
    ),
    "piece": (
        (
            "Exact bytes of arguments or a result that a receipt commits to by their digest: in the "
            "receipt itself, or detached from it."
        ),
        "断片",
    ),
    "sealed piece": (
        (
            "A piece whose digest gives nothing away: it takes a key of its own to compare content "
            "with it. Without key and bytes the receipt still holds, and what the piece was is not "
            "shown."
        ),
        "封緘された断片",
    ),
    "intent": (
        (
            "The entry that was written before a call left; without an outcome it says that the call "
            "may have run."
        ),
        "実行前の記録",
    ),
    "gap": (
        "The entry that says that something was not recorded, why, and since when.",
        "記録の空白",
    ),
    "entry": (
        (
            "One part of a run's record, counted from 0: its opening, an intent, a receipt, a gap, "
            "what was read back, its close, or an erasure."
        ),
        "エントリ",
    ),
    "close receipt": (
        (
            "The receipt that ends a record: it counts the calls and entries before it and commits to "
            "all of them. It says that the record ends there, and not that the work was done."
        ),
        "終了レシート",
    ),
    "commitment": (
        (
            "Four members that fix a closed run: its id, how many receipts it has, the digest of the "
            "last, and when that was written. Kept where the holder of the record cannot write, it "
            "shows that nothing was cut or written anew; inside the record it shows nothing."
        ),
        "コミットメント",
    ),
    "workflow root": (
        (
            "One digest over the receipts of all calls of a run (a Merkle root), which can be "
            "published in their stead; `root:` when receipts are made."
        ),
        "ワークフロールート",
    ),
    "unbound": (
        (
            "What stands in a record although nothing commits to it: its holder can change it unseen. "
            "It is printed as it was delivered, under `unbound, as delivered:`, and no answer rests "
            "on it."
        ),
        "拘束されない値",
    ),
    "position": (
        (
            "The place of a call in its run, counted from 1 in the order in which calls began; a "
            "finding's index follows it."
        ),
        "開始順の位置",
    ),
    "seq": (
        (
            "The number of a receipt in its run, counted from 1 in the order in which calls ended; the "
            "chain follows it."
        ),
        "終了順の番号",
    ),
    "salt": (
        (
            "Random bytes beside an entry: they keep its commitment from giving away a content that "
            "can be guessed."
        ),
        "ソルト",
    ),
    "leaf": (
        (
            "What stands in a log for one entry: two lines that name log, run and place, commit to "
            "the payload, and carry the hash of the run's leaf before it."
        ),
        "リーフ",
    ),
    "origin": (
        "The name of a log, for ever: each of its leaves and heads says it, and its key has it too.",
        "ログ名",
    ),
    "erased": (
        (
            "Taken out of a store on purpose, content and salt or key: what commits to it stays, and "
            "an `erase` entry of the run says so."
        ),
        "消去済み",
    ),
    "checkpoint": (
        (
            "The head of a log, signed: whose log it is, how many leaves it has, and one root over "
            "all of them (C2SP tlog-checkpoint)."
        ),
        "チェックポイント",
    ),
    "remembered": (
        (
            "The last head of a log that was verified with a key, in a file of yours (`verify "
            "--seen`). The next head must continue it; the file only grows."
        ),
        "記憶済み",
    ),
    "first visit": (
        (
            "No head of this log is remembered: that it showed somebody else another history cannot "
            "be seen yet. From now on this head is remembered."
        ),
        "初回の確認",
    ),
    "witness": (
        (
            "Somebody outside who cosigns the heads of a log, each only where it continues the one "
            "before; a policy says whose word counts."
        ),
        "証人",
    ),
    "two histories": (
        (
            "Two heads of one log, signed by one key, of which neither begins the other. The file "
            "that `verify` writes of them proves it to anyone who has the key (--proof)."
        ),
        "二つの履歴",
    ),
    "does not hold": (
        "A call whose receipt is not what it commits to: what is shown of it may have been changed.",
        "読取不能",
    ),
    "standing": (
        "What a chain, and the commitment it was compared with, show together.",
        "状態",
    ),
    "level": (
        (
            "How strictly receipts are judged: default (as aer1-verify), core (the kit's core tier "
            "alone), strict (what any reader refuses)."
        ),
        "判定水準",
    ),
    "id_state": (
        (
            "Whether the id of a receipt was held against something from elsewhere, and what came of "
            "it: the id stands outside of what is committed to."
        ),
        "ID照合",
    ),
    "legacy": (
        "A receipt of schema version 0.2 or 0.3: nothing but its committed bytes is bound.",
        "旧版",
    ),
    "historical": (
        "A chain by the rule of draft -06, which could not see relabelling or a new close.",
        "旧規則の連鎖",
    ),
    "root rule": (
        (
            "How a workflow root is computed: seq-output-v1 covers the results in their order, "
            "receipt-id-v0 the ids of the receipts."
        ),
        "ルート規則",
    ),
    "erase": (
        "An entry that says which content was erased, and why; what is left still recomputes.",
        "消去の記録",
    ),
    "declared": (
        "A job or claims that were put into a bundle beside the record; nothing commits to them.",
        "宣言",
    ),
}
"""Things that a record consists of, and what is said of them."""
