"""Each word of the output with its sentence: the only source of `explain` and the glossary.

`term` is the Japanese term beside it. Kinds and audits are not here: their folders describe
them (RULES and docstrings), as the commands describe themselves and their options.
"""

from typing import NamedTuple

from toolreplay.findings.record_words import RECORD_WORDS

__all__ = ["WORDS", "Word"]


class Word(NamedTuple):
    """One word of the output: its group, a few English sentences, and the Japanese term."""

    group: str
    meaning: str
    term: str


_RESULT = "result of a check"
_LINE = "report line"
_OUTCOME = "outcome of a call"
_PROVENANCE = "provenance"
_THING = "thing"
_COUNT = "count"
_KNOWN = "known findings"
_DIFFERENCE = "difference of two runs"
_EXIT = "exit status"
_LEVEL = "level of a kind"
_CHAIN = "line of verify"
_ACCOUNT = "part of an account"
_INPUT = "status of an input"

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
        "Whether what a record commits to comes out again when it is recomputed here: of receipts "
        "the digest of each one's bytes, what they say against what stands around them, the pieces "
        "that are here, and every other entry. `5 of 6` counts the receipts that hold; a sealed "
        "piece that is not opened is counted apart, and nothing is said about it. A plain "
        "transcript commits to nothing: anyone who can write the file can change it unseen.",
        "内容",
    ),
    "links": Word(
        _LINE,
        "Whether each link of a hash chain follows from the one before it: none taken out of the "
        "middle, none put in, none twice, none exchanged. Each receipt, and each call of a sealed "
        "transcript, carries the digest of the one before it.",
        "連鎖",
    ),
    "ending": Word(
        _LINE,
        "Whether the record ends where it ended when it was made. A run of receipts is closed by "
        "one that counts all before it, so a cut tail is seen. Whoever holds the record can still "
        "cut it and close it again, or write all of it anew: only something kept where they cannot "
        "write shows that. It is handed in with `verify --commitment FILE`, or with `--root HEX`, "
        "which covers the calls alone; for a sealed transcript with `verify --against FILE`; without it the line says what is not "
        "excluded.",
        "末尾",
    ),
    "story": Word(
        _LINE, "Whether a transcript tells the same as the record. Not built yet.", "記述との照合"
    ),
    "signer": Word(
        _LINE,
        "Whether a key that you name signed the record: the head of the log that a run stands in "
        "(`verify --key VKEY`), or the head of a seal (`seal --head FILE --sign KEY`, and `verify "
        "--against FILE --key VKEY`). The key is got from whoever signs, and not from the record. "
        "Receipts, and runs that were in no log, have no signature; and a signature does not show "
        "who recorded, nor that nobody else had the key.",
        "署名者",
    ),
    "time": Word(
        _LINE,
        "Whether somebody outside confirms when the record was there: witnesses of a policy "
        "(`verify --policy FILE`) who cosigned the head of its log say that they had seen it by "
        "then. The times in a record are its writer's word, and a digest binds what was written, "
        "true or not. `--now` compares them with a time that you name.",
        "時刻",
    ),
    "log": Word(
        _LINE,
        "Whether the record stands in a transparency log: a list that can only grow, so that a "
        "record cannot be exchanged for another later. Each entry is under the log's head, and "
        "with `verify --key VKEY` the head continues the one remembered from the last visit: one "
        "who signs two histories is caught by it, and on a first visit not yet. It does not show "
        "that everything was recorded.",
        "ログ",
    ),
    "job": Word(_LINE, "Whether the ordered steps were done. Not built yet.", "作業指示"),
    "claims": Word(
        _LINE, "Whether what the agent says it did is in the record. Not built yet.", "主張"
    ),
    "world": Word(
        _LINE, "Whether the effects are there when they are read back. Not built yet.", "実世界"
    ),
    "coverage": Word(
        _LINE,
        "Whether everything that happened could be judged. An import says here how many units of "
        "its session were lost (`import --strict` names their lines), a record of receipts how "
        "many gaps it names; whether a recorder was down otherwise is not built yet.",
        "網羅性",
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
        "A gateway on the way to the tool saw the call, by the record's own word.",
        "経路上での観測",
    ),
    "EXECUTED BY TOOLREPLAY": Word(
        _PROVENANCE,
        "toolreplay carried the call out itself, by the record's own word.",
        "toolreplay による実行",
    ),
    "call": Word(_THING, "One use of a tool: its name, arguments and what came back.", "呼び出し"),
    "run": Word(_THING, "All calls of one execution, in order.", "実行"),
    "transcript": Word(
        _THING,
        "A file of recorded calls: JSON Lines of index, tool, args, response.",
        "呼び出し記録",
    ),
    "link": Word(_THING, "One call of a sealed transcript, with `prev` and `digest`.", "リンク"),
    "head": Word(
        _THING,
        "The end of a chain or of a log: how many links or leaves there are, and one digest that "
        "follows from all of them.",
        "末尾ダイジェスト",
    ),
    **{word: Word(_THING, *told) for word, told in RECORD_WORDS.items()},
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
    "sealed": Word(
        _THING,
        "A transcript whose calls carry `prev` and `digest`: one that `seal` wrote.",
        "封印済み",
    ),
    "digest": Word(
        _THING, "The SHA-256 of a canonical form, as 64 lower-case hex digits.", "ダイジェスト"
    ),
    "prev": Word(
        _THING,
        "The digest of the link before, which a link carries; in the first link it is 64 zeros.",
        "直前のダイジェスト",
    ),
    "index": Word(
        _THING, "The number of a call in its run, counted from 0, as calls began.", "番号"
    ),
    "provenance": Word(
        _THING, "Who made the record; every other answer rests on it.", "記録の出どころ"
    ),
    "outcome": Word(
        _THING,
        "What became of a call, by its host's own flags: ok, denied, cancelled and so on.",
        "結果の種類",
    ),
    "toolreplay-1": Word(
        _THING,
        "The canonical form of our seals and call keys: JSON in ASCII, members sorted, no blanks.",
        "正規形 toolreplay-1",
    ),
    "audit": Word(
        _THING,
        "One question to a run, answered by recomputing; it makes findings and report lines.",
        "監査",
    ),
    "kind": Word(_THING, "What sort of finding it is; each audit lists its own.", "種別"),
    "required": Word(
        _THING,
        "A report line that must have been checked, or the exit status is 3: what was handed in, "
        "or what --require names.",
        "必須",
    ),
    "state change": Word(
        _THING,
        "A recorded call of a mutator, or of a tool that may be one, between two equal calls.",
        "状態変更",
    ),
    "importer": Word(
        _THING, "What turns the session file of another program into runs.", "取り込み"
    ),
    "session": Word(
        _THING, "The file that an agent's own program writes while it runs.", "セッション"
    ),
    "companion": Word(
        _THING,
        "The file NAME.meta.jsonl beside an imported transcript: outcomes, times and places, "
        "which four members cannot say.",
        "付属ファイル",
    ),
    "divergence": Word(
        _COUNT, "The first index where a rerun would disagree; none where it would agree.", "分岐点"
    ),
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
    "suppressed": Word(
        _KNOWN,
        "How many findings were left out because they are known: by a baseline, or by a "
        "suppression of the project file.",
        "抑制済み",
    ),
    "baseline": Word(
        _KNOWN,
        "A file of findings that stand already (`audit --write-baseline`); they are left out.",
        "ベースライン",
    ),
    "suppression": Word(
        _KNOWN,
        "An entry of the project file that accepts a finding, with a reason, until a day.",
        "抑制設定",
    ),
    "expired": Word(
        _KNOWN,
        "How many findings are reported although a suppression names them: its day has passed.",
        "期限切れ",
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
    "exit 0": Word(
        _EXIT, "Nothing was found, and everything required was checked and passed.", "検出なし"
    ),
    "exit 1": Word(_EXIT, "Something was found: a finding, or a check that failed.", "検出あり"),
    "exit 2": Word(
        _EXIT,
        "It could not run, or an input could not be read; one line of standard error says why. "
        "It is no verdict.",
        "実行不能",
    ),
    "exit 3": Word(
        _EXIT,
        "Nothing was found, but something required was not checked, or nothing was recorded. "
        "It never means that all is well.",
        "未確認あり",
    ),
    "exit 130": Word(_EXIT, "It was interrupted from the keyboard.", "中断された"),
    "error": Word(
        _LEVEL,
        "Findings of this kind stand against the run or its record; of whatever level, a finding "
        "ends with 1. As the first word of a line: why the command could not run, or could not "
        "read an input.",
        "エラー",
    ),
    "warning": Word(_LEVEL, "Findings of this kind may be harmless; somebody should look.", "警告"),
    "note": Word(
        _LEVEL,
        "Findings of this kind are good to know. As the first word of a line: something beside "
        "the answer, which it does not change.",
        "注記",
    ),
    "chain": Word(
        _CHAIN,
        "The links of a sealed transcript, each with the digest of the one before it.",
        "ハッシュ連鎖",
    ),
    "intact": Word(
        _CHAIN,
        "Each link follows from the one before it. Nothing is said about a tail that was cut, nor "
        "about who sealed it.",
        "無傷",
    ),
    "broken": Word(_CHAIN, "A link does not follow from the one before it.", "破損"),
    "first broken link": Word(
        _CHAIN,
        "The first link that does not follow; what comes after it cannot be judged by the chain.",
        "最初の破損リンク",
    ),
    "expected": Word(_CHAIN, "What comes out when it is recomputed here.", "期待値"),
    "found": Word(_CHAIN, "What the file has in its place.", "実際の値"),
    "seen": Word(_ACCOUNT, "All units of the imported file; the other parts add up to it.", "総数"),
    "mapped": Word(_ACCOUNT, "Units that became a call or its result.", "対応済み"),
    "skipped": Word(
        _ACCOUNT, "Units that are no calls, by their type: text, thinking and the like.", "対象外"
    ),
    "truncated": Word(_ACCOUNT, "Units that were cut off where they were written.", "途中切れ"),
    "orphaned": Word(_ACCOUNT, "Results whose call is not in the file.", "対応なし"),
    "duplicate": Word(_ACCOUNT, "Copies of units that stand earlier in the file.", "重複"),
    "unreadable": Word(
        _ACCOUNT,
        "Units, or whole inputs, that could not be read: not JSON, too deep, too long, broken.",
        "読み取り不能",
    ),
    "unknown types": Word(
        _ACCOUNT,
        "Types of units that the importer does not know: it may have passed over a call.",
        "未知の種類",
    ),
    "unknown tools": Word(
        _ACCOUNT,
        "Tools that are known neither to change state nor to leave it; --mutator names one that "
        "does.",
        "未知のツール",
    ),
    "loss": Word(
        _ACCOUNT,
        "A unit that could have been a call and did not become one; `import --strict` stops at it.",
        "損失",
    ),
    "lost": Word(_ACCOUNT, "Begins the line that says where a loss stands.", "損失箇所"),
    "file": Word(
        _INPUT,
        "Where a run was read from; `files` counts the inputs by what became of them.",
        "ファイル",
    ),
    "read": Word(_INPUT, "It was read to its end and judged.", "読み取り済み"),
    "not recognised": Word(
        _INPUT,
        "It is in no format that can be read. In a folder it is counted; named alone it is an "
        "error.",
        "形式不明",
    ),
    "nothing recorded": Word(
        _INPUT, "A run without a single call: there was nothing to judge.", "記録なし"
    ),
}
"""In the order of the glossary."""
