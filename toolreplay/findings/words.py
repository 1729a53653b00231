"""Each word of the output with its sentence: the only source of `explain` and the glossary.

`term` is the Japanese term beside it. Kinds and audits are not here: their folders describe
them (RULES and docstrings).
"""

from typing import NamedTuple

__all__ = ["WORDS", "Word"]


class Word(NamedTuple):
    """One word of the output: its group, one English sentence or two, and the Japanese term."""

    group: str
    meaning: str
    term: str


_RESULT = "result of a check"
_LINE = "report line"
_OUTCOME = "outcome of a call"
_PROVENANCE = "provenance"
_THING = "thing"
_COUNT = "count"
_DIFFERENCE = "difference of two runs"

WORDS: dict[str, Word] = {
    "passed": Word(_RESULT, "It was recomputed here, and it holds.", "合格"),
    "failed": Word(_RESULT, "It was recomputed here, and it does not hold.", "不合格"),
    "not checked": Word(
        _RESULT,
        "It was not judged; the reason stands beside it, and what would help. It never counts as passed.",
        "未確認",
    ),
    "replay": Word(_LINE, "Whether a rerun of these calls would have seen the same.", "再実行"),
    "scope": Word(
        _LINE,
        "Whether only tools were used that were permitted for the agent; needs --scope FILE.",
        "許可範囲",
    ),
    "loop": Word(
        _LINE,
        "Whether the same calls came back with the same results, round after round.",
        "ループ",
    ),
    "contents": Word(
        _LINE,
        "Whether what a record commits to (the digests of its calls) comes out again when it is "
        "recomputed. A plain transcript commits to nothing: anyone who can write the file can "
        "change it unseen.",
        "内容",
    ),
    "links": Word(
        _LINE, "Whether each link of a hash chain follows from the one before it.", "連鎖"
    ),
    "ending": Word(
        _LINE,
        "Whether the record ends where it ended when it was made. A chain alone cannot show that "
        "its tail was cut off; a head kept elsewhere can (`seal --head FILE`, then "
        "`verify --against FILE`).",
        "末尾",
    ),
    "story": Word(
        _LINE, "Whether a transcript tells the same as the record. Not built yet.", "記述との照合"
    ),
    "signer": Word(
        _LINE,
        "Whether a key that you name signed the record. A seal has no signature; signatures are "
        "not built yet.",
        "署名者",
    ),
    "time": Word(
        _LINE,
        "Whether somebody outside confirms when the record was made. Not built yet: the times in "
        "a record are its writer's word.",
        "時刻",
    ),
    "log": Word(_LINE, "Whether the record stands in a transparency log. Not built yet.", "ログ"),
    "job": Word(_LINE, "Whether the ordered steps were done. Not built yet.", "作業指示"),
    "claims": Word(
        _LINE, "Whether what the agent says it did is in the record. Not built yet.", "主張"
    ),
    "world": Word(
        _LINE, "Whether the effects are there when they are read back. Not built yet.", "実世界"
    ),
    "coverage": Word(
        _LINE, "Whether every call could have been recorded. Not built yet.", "網羅性"
    ),
    "ok": Word(_OUTCOME, "The call came back, and its host did not mark it as failed.", "正常"),
    "tool_error": Word(_OUTCOME, "The tool came back with an error.", "ツールのエラー"),
    "protocol_error": Word(
        _OUTCOME, "The call was answered with an error of the protocol.", "プロトコルのエラー"
    ),
    "denied": Word(_OUTCOME, "The call was refused and never ran.", "拒否"),
    "timeout": Word(_OUTCOME, "No answer came in the time that was allowed.", "時間切れ"),
    "cancelled": Word(_OUTCOME, "The call was called off before it ran.", "取り消し"),
    "interrupted": Word(
        _OUTCOME, "The call was stopped while it ran; it may have changed something.", "中断"
    ),
    "missing": Word(
        _OUTCOME,
        "No result is in the record (a live session, a crash); the call may have run.",
        "結果なし",
    ),
    "not_executed": Word(
        _OUTCOME, "The host refused to run the call (invalid input, no such tool).", "未実行"
    ),
    "LOGGED BY AGENT": Word(
        _PROVENANCE,
        "The agent's own program wrote the record: it says what the agent's side says happened.",
        "エージェント自身の記録",
    ),
    "OBSERVED VIA GATEWAY": Word(
        _PROVENANCE,
        "A gateway on the way to the tool saw the call. Not built yet.",
        "経路上での観測",
    ),
    "EXECUTED BY TOOLREPLAY": Word(
        _PROVENANCE,
        "toolreplay carried the call out itself. Not built yet.",
        "toolreplay による実行",
    ),
    "call": Word(_THING, "One use of a tool: its name, arguments and what came back.", "呼び出し"),
    "run": Word(_THING, "All calls of one execution, in order.", "実行"),
    "transcript": Word(
        _THING,
        "A file of recorded calls: JSON Lines of index, tool, args, response.",
        "呼び出し記録",
    ),
    "seal": Word(
        _THING,
        "The hash chain of a transcript: each call carries the digest of the one before it.",
        "封印",
    ),
    "link": Word(_THING, "One call of a sealed transcript, with `prev` and `digest`.", "リンク"),
    "head": Word(
        _THING, "The end of a chain: how many links, and the last digest.", "先頭ダイジェスト"
    ),
    "receipt": Word(
        _THING,
        "What the executing layer commits to about one call when it carries it out: exact bytes, "
        "time and place. A transcript has none. Receipts are not built yet.",
        "レシート",
    ),
    "record": Word(_THING, "What was written down of a run, by whom is its provenance.", "記録"),
    "finding": Word(_THING, "One thing an audit reports about a run.", "検出事項"),
    "fingerprint": Word(
        _THING,
        "16 hex digits that stay the same for the same finding in every run and file.",
        "指紋",
    ),
    "account": Word(
        _THING,
        "What became of every unit of an imported file: mapped to a call, or skipped with a "
        "reason. Truncated, orphaned, unreadable and unknown units are losses.",
        "内訳",
    ),
    "canonical form": Word(
        _THING,
        "The one spelling of a value that is hashed. toolreplay-1 is that of seals and call keys.",
        "正規形",
    ),
    "mutator": Word(
        _THING,
        "A tool that may change state, so that a later difference is explained.",
        "変更ツール",
    ),
    "divergence": Word(_COUNT, "The first index where a rerun would disagree.", "分岐点"),
    "explained": Word(
        _COUNT,
        "How many repeated calls got another response after a recorded call that may have "
        "changed state. They are no findings.",
        "説明済み",
    ),
    "undetermined": Word(
        _COUNT,
        "How many repeated calls got another response where only tools that are not known to "
        "change anything, nor to change nothing, stand in between. They are no findings.",
        "判定不能",
    ),
    "first difference": Word(
        _DIFFERENCE, "The first index at which the call or its result differs.", "最初の相違"
    ),
    "same": Word(
        _DIFFERENCE, "Both runs have the call in its place, with the same result.", "同一"
    ),
    "changed": Word(
        _DIFFERENCE, "Both runs have the call in its place, with another result.", "結果の相違"
    ),
    "moved": Word(
        _DIFFERENCE,
        "Both runs have the call, in another place among the others; the result may differ.",
        "移動",
    ),
    "dropped": Word(_DIFFERENCE, "Only the first run, A, has the call.", "欠落"),
    "added": Word(_DIFFERENCE, "Only the second run, B, has the call.", "追加"),
    "not aligned": Word(
        _DIFFERENCE,
        "Calls in a stretch of both runs that is too long, and in which no call stands just once: "
        "they count as moved, dropped or added.",
        "対応付けなし",
    ),
    "shared links": Word(
        _DIFFERENCE,
        "How many links two sealed transcripts have in common from the start, by the digests in "
        "the files; whether these are right says `verify`.",
        "共通のリンク",
    ),
}
"""In the order of the glossary."""
