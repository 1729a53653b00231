"""Configurations made at random: every way to write a string, a list, a comment, a line ending."""

import random

__all__ = ["json_text", "toml_text"]

_STRINGS = (
    '"a"', "'b'", '"""c"d"""', "'''e'f'''", '"""x\\"""" """', '"\\u00e9#"', "'#]'", '"]},"', '""',
    '"""\nml\n# no\n"""', "'''\n[z]\n'''", '""""q"""""', "''''q'''''", "''",
)  # fmt: skip
_OTHERS = (
    "1", "1979-05-27 07:32:00", '{ a = [1, 2], "b" = "}" }', '[[1],["]"]]', "nan", "'''\nargs = [\n'''",
)  # fmt: skip
_NAMES = ("a", '"b c"', "'d.e'", "f-1", '"g\\u0041"')


def toml_text(chance: random.Random) -> str:
    """Return a TOML text with servers in it, which need not be valid."""
    end = chance.choice(("\n", "\r\n"))

    def tail() -> str:
        return chance.choice(("", "", ' # c "x" [', " #")) + end

    parts = []
    for name in chance.sample(_NAMES, chance.randint(1, 4)):
        members = [("command", chance.choice(_STRINGS[:8]))]
        if chance.random() < 0.7:
            members.append(("args", _toml_array(chance, end)))
        if chance.random() < 0.5:
            members.append(("x", chance.choice(_OTHERS)))
        chance.shuffle(members)
        if chance.random() < 0.5:
            parts.append(f"[mcp_servers. {name} ]{tail()}")
            parts += [f" {key} = {value}{tail()}" for key, value in members]
        else:
            inner = ", ".join(f"{key} = {value}" for key, value in members)
            line = f"mcp_servers.{name} = {{ {inner}}}{tail()}"
            dotted = "".join(
                f"mcp_servers.{name}.{key} = {value}{tail()}" for key, value in members
            )
            parts.insert(0, chance.choice((line, dotted)))
    text = "".join(parts)
    return text.rstrip("\r\n") if chance.random() < 0.3 else text


def _toml_array(chance: random.Random, end: str) -> str:
    count = chance.randint(0, 3)
    text = "["
    for number in range(count):
        text += chance.choice(("", " ", end, f" # ]{end}", "\t")) + chance.choice(_STRINGS)
        text += chance.choice(("", " "))
        if number < count - 1 or chance.random() < 0.3:
            text += "," + chance.choice((" ", "", f" # ,{end}"))
    return text + chance.choice(("", " ", end)) + "]"


def json_text(chance: random.Random) -> str:
    """Return a JSON text with servers, comments and commas too many in it."""

    def blank() -> str:
        return chance.choice(("", " ", "\n", "\r\n  ", "\t", "/* { , ] */", '// }"\n'))

    entries = []
    for name in chance.sample(('"a"', '"b"', '"c\\u0041"', '"//"'), chance.randint(1, 3)):
        members = [f'"command"{blank()}:{blank()}' + chance.choice(('"x"', '"\\"/*"', '"y//"'))]
        if chance.random() < 0.7:
            words = chance.choices(('"a"', '"b\\"]"', '"//x"', '"/*"', '""', '"--"'), k=3)
            listed = [blank() + word + blank() for word in words[: chance.randint(0, 3)]]
            comma = "," if listed and chance.random() < 0.3 else ""
            members.append(f'"args":{blank()}[{",".join(listed)}{comma}{blank()}]')
        if chance.random() < 0.5:
            members.append('"e": {"k": [1, {"command": "no", "args": []}]}')
        chance.shuffle(members)
        inner = f",{blank()}".join(members)
        entries.append(f"{name}{blank()}:{blank()}{{{blank()}{inner}{chance.choice(('', ','))}}}")
    return f'{{{blank()}"servers":{blank()}{{{",".join(entries)}{blank()}}}{blank()}}}'
