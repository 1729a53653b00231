"""The account of an import as one line, for standard error."""

from toolreplay.records.account import Account

__all__ = ["account_line"]

_MOST_NAMED = 12


def account_line(account: Account, name: str | None = None) -> str:
    """Return the line; with a name it says whose account it is."""
    whose = f"account of {name}" if name else "account"
    parts = [
        f"mapped {account.mapped}",
        f"skipped {sum(account.skipped.values())}{_listed(account.skipped)}",
        f"truncated {account.truncated}",
        f"orphaned {account.orphaned}",
        f"duplicate {account.duplicate}",
        f"unreadable {account.unreadable}",
    ]
    line = f"{whose}: seen {account.seen} = {' + '.join(parts)}"
    if account.notes:
        line += f" · {_listed(account.notes).strip(' ()')}"
    if account.unknown:
        line += f" · unknown types{_listed(account.unknown)}"
    if account.unknown_tools:
        line += f" · unknown tools{_listed(account.unknown_tools)}"
    return line


def _listed(counts: dict[str, int]) -> str:
    """List counts by size, then name; a host may invent any number of words."""
    if not counts:
        return ""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    named = [f"{word[:60]} {count}" for word, count in ordered[:_MOST_NAMED]]
    if len(ordered) > _MOST_NAMED:
        named.append(f"{len(ordered) - _MOST_NAMED} other words")
    return f" ({', '.join(named)})"
