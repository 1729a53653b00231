"""Print a script that completes commands, options, their values and file names in a shell.

To install it, once, and again after an update:

  bash   toolreplay completion bash > ~/.toolreplay.bash
         echo '. ~/.toolreplay.bash' >> ~/.bashrc

  zsh    toolreplay completion zsh > ~/.toolreplay.zsh
         echo 'autoload -U compinit; compinit; . ~/.toolreplay.zsh' >> ~/.zshrc

  fish   mkdir -p ~/.config/fish/completions
         toolreplay completion fish > ~/.config/fish/completions/toolreplay.fish

The script starts no program: what it completes is that of the version that printed it.
"""

import argparse

from toolreplay.cli.console import Console
from toolreplay.cli.shells import bash, fish, zsh
from toolreplay.cli.shells.words import commands

__all__ = ["add_arguments", "run"]

_SHELLS = {"bash": bash.script, "zsh": zsh.script, "fish": fish.script}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `completion`."""
    parser.add_argument("shell", choices=tuple(_SHELLS), help="the shell that is to complete")


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Print the script."""
    console.write(_SHELLS[arguments.shell](commands()))
    return 0
