"""The completion script of fish; it holds all it needs and starts no program."""

from toolreplay.cli.shells.words import (
    FILES,
    FOLDERS,
    FREE,
    LIST,
    REPORTS,
    WORDS,
    Command,
    Value,
    heading,
)

__all__ = ["script"]

_FISH = """\
function __toolreplay_in
    set -l words (commandline -opc)
    test "$words[2]" = "$argv[1]"
end
complete -c toolreplay -f
complete -c toolreplay -n '__toolreplay_in ""' -s h -l help -d 'print the first screen'
complete -c toolreplay -n '__toolreplay_in ""' -l version -d 'print the version'
"""


def script(commands: list[Command]) -> str:
    """Return the script."""
    lines = []
    for command in commands:
        start = "complete -c toolreplay -n '__toolreplay_in \"\"'"
        lines.append(f"{start} -a {command.name} -d {_quoted(command.text)}")
    for command in commands:
        start = f"complete -c toolreplay -n '__toolreplay_in {command.name}'"
        for option in command.options:
            flags = " ".join(
                f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}"
                for flag in option.flags
            )
            takes = f" -r{_value(option.value)}" if option.value else ""
            lines.append(f"{start} {flags}{takes} -d {_quoted(option.text)}")
        lines += [f"{start}{_value(item.value)}" for item in command.arguments[:1]]
    return heading("fish") + _FISH + "".join(f"{line}\n" for line in lines)


def _value(value: Value) -> str:
    words = " ".join(value.words)
    does = {
        WORDS: f" -f -a {_quoted(words)}",
        LIST: f" -f -a {_quoted(f'(__fish_append , {words})')}",
        REPORTS: f" -f -a {_quoted(' '.join(f'{word}=' for word in value.words))}",
        FILES: " -F",
        FOLDERS: " -f -a '(__fish_complete_directories)'",
        FREE: " -f",
    }
    return does[value.kind]


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
