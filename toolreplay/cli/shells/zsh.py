"""The completion script of zsh; it holds all it needs and starts no program."""

from collections.abc import Iterator

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
    quoted,
)

__all__ = ["script"]

_ZSH = """\
_toolreplay() {
    local curcontext="$curcontext" state line
    typeset -A opt_args
    _arguments -C '(- *)'{-h,--help}'[print the first screen]' '(- *)--version[print the version]' \\
        '1:command:_toolreplay_commands' '*::argument:->arguments'
    [[ $state == arguments ]] || return
    curcontext="${curcontext%:*}-$words[1]:"
    case $words[1] in
@CASES@
    esac
}
_toolreplay_commands() {
    local -a commands
    commands=(
@COMMANDS@
    )
    _describe -t commands command commands
}
_toolreplay_reports() {
    if compset -P '*='; then _files; else compadd -S = -- @REPORTS@; fi
}
if [[ $funcstack[1] == _toolreplay ]]; then _toolreplay "$@"; else compdef _toolreplay toolreplay; fi
"""


def script(commands: list[Command]) -> str:
    """Return the script."""
    values = [option.value for command in commands for option in command.options if option.value]
    reports = next((value.words for value in values if value.kind == REPORTS), ())
    named = "\n".join(
        f"        {quoted([f'{item.name}:{_escaped(item.text)}'])}" for item in commands
    )
    cases = "\n".join(line for command in commands for line in _case(command))
    script = _ZSH.replace("@REPORTS@", " ".join(reports)).replace("@COMMANDS@", named)
    return f"#compdef toolreplay\n{heading('zsh')}{script.replace('@CASES@', cases)}"


def _case(command: Command) -> Iterator[str]:
    yield f"    {command.name})"
    specs = []
    for option in command.options:
        others = "*" if option.repeats else f"({' '.join(option.flags)})"
        for flag in option.flags:
            # `--format=json` is one word of zsh, and `--format json` are two.
            equals = "=" if option.value and flag.startswith("--") else ""
            spec = f"{others}{flag}{equals}[{_escaped(option.text)}]"
            specs.append(spec + (_value(option.value) if option.value else ""))
    for number, argument in enumerate(command.arguments, 1):
        specs.append(f"{'*' if argument.repeats else number}{_value(argument.value)}")
    lines = [f"            {quoted([spec])}" for spec in specs]
    yield "        _arguments \\"
    yield " \\\n".join(lines) + " ;;"


def _value(value: Value) -> str:
    does = {
        WORDS: f"({' '.join(value.words)})",
        LIST: f"_values -s , {value.name.partition('[')[0]} {' '.join(value.words)}",
        REPORTS: "_toolreplay_reports",
        FILES: "_files",
        FOLDERS: "_files -/",
        FREE: "",
    }
    return f":{value.name}:{does[value.kind]}"


def _escaped(text: str) -> str:
    for special in "\\[]:":
        text = text.replace(special, f"\\{special}")
    return text
