"""The completion script of bash; it holds all it needs and starts no program.

It is written for the bash 3.2 that macOS has, too: no `mapfile`, and `compopt` may be missing.
"""

from collections.abc import Iterator

from toolreplay.cli.shells.words import FREE, Command, Value, heading, quoted

__all__ = ["script"]

_BASH = """\
_toolreplay() {
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    local options= kind= words= kept= found= line=
    COMPREPLY=()
    # `--format=json` comes as three words.
    if [ "$current" = = ]; then
        current=
    elif [ "$before" = = ] && [ "$COMP_CWORD" -gt 2 ]; then
        before=${COMP_WORDS[COMP_CWORD-2]}
    fi
    if [ "$COMP_CWORD" -eq 1 ]; then
        kind=words words=@COMMANDS@
    else
        case ${COMP_WORDS[1]} in
@CASES@
        esac
    fi
    case $kind in
    words) found=$(compgen -W "$words" -- "$current") ;;
    list)
        line=${current##*,} kept=${current%"${current##*,}"}
        found=$(compgen -P "$kept" -W "$words" -- "$line")
        compopt -o nospace 2>/dev/null ;;
    reports)
        found=$(compgen -S = -W "$words" -- "$current")
        compopt -o nospace 2>/dev/null ;;
    files)
        found=$(compgen -f -- "$current")
        compopt -o filenames 2>/dev/null ;;
    folders)
        found=$(compgen -d -- "$current")
        compopt -o filenames 2>/dev/null ;;
    esac
    while IFS= read -r line; do
        [ -n "$line" ] || continue
        # A name with a line end comes in parts; one that is no file bash would expand itself.
        case $kind in files|folders)
            case $line in '~/'*) found=$HOME/${line#??} ;; *) found=$line ;; esac
            [ -e "$found" ] || [ -L "$found" ] || continue ;;
        esac
        COMPREPLY+=("$line")
    done <<< "$found"
    return 0
}
complete -F _toolreplay toolreplay
"""


def script(commands: list[Command]) -> str:
    """Return the script."""
    names = [command.name for command in commands]
    cases = "\n".join(line for command in commands for line in _case(command))
    script = _BASH.replace("@COMMANDS@", quoted([*names, "--help", "--version"]))
    return f"{heading('bash')}{script.replace('@CASES@', cases)}"


def _case(command: Command) -> Iterator[str]:
    flags = [flag for option in command.options for flag in option.flags]
    yield f"        {command.name})"
    yield f"            options={quoted(flags)}"
    yield "            case $before in"
    for option in command.options:
        if option.value is not None:
            yield f"            {'|'.join(option.flags)}) {_value(option.value)} ;;"
    value = command.arguments[0].value if command.arguments else Value("", FREE)
    yield "            *)"
    yield f"                {_value(value)}"
    yield "                case $current in -*) kind=words words=$options ;; esac ;;"
    yield "            esac ;;"


def _value(value: Value) -> str:
    return f"kind={value.kind}" + (f" words={quoted(value.words)}" if value.words else "")
