"""The rules that find what must not be kept: the shipped ones, and those of a project.

A shipped rule knows a credential by the name it stands under, by the beginning its maker gave it,
or by what stands before it (RFC 6750 section 2.1 `Bearer`, RFC 7617 section 2 `Basic`, RFC 3986
section 3.2.1 user information, RFC 7468 private keys). Each pattern is linear: none has a
repetition within a repetition, and what may repeat without end begins at one place of a run only.
"""

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "BARE",
    "BEGINNINGS",
    "BY_MARK",
    "KINDS",
    "LEAST_TOKEN",
    "NAMED",
    "RANDOM",
    "RULE_NAME",
    "SHIPPED",
    "TOKENS",
    "Beginning",
    "Rule",
    "fault_of_rule",
    "glob_matches",
    "marker_of",
    "path_of",
]

KINDS = ("key", "path", "prefix", "contains")
"""By what a rule of a project finds: names of members, places, beginnings of words, texts."""

RULE_NAME = re.compile("[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?")

NAMED, RANDOM = "credential-name", "random-credential"

LEAST_TOKEN = 20
"""Bytes of the shortest credential that is known by its beginning."""


class Rule(NamedTuple):
    """A rule of a project: by what it finds (see KINDS), and whether the original is kept sealed."""

    name: str
    kind: str
    value: str
    keeps_original: bool = False


SHIPPED = {
    NAMED: "a text or a long number under a name like `password`, `api_key`, `Authorization`",
    RANDOM: "a text that looks drawn by lot under a name like `key` or `auth`",
    "github-token": "GitHub: `ghp_`, `gho_`, `ghs_`, `ghr_`, `ghu_`, `github_pat_`",
    "anthropic-key": "Anthropic: `sk-ant-`",
    "openai-key": "OpenAI and those that copied its form: `sk-`, `sk-proj-`",
    "aws-key-id": "Amazon Web Services: `AKIA`, `ASIA`",
    "google-key": "Google: `AIza`, `ya29.`, `GOCSPX-`",
    "slack-token": "Slack: `xoxb-` and its kin, `xapp-`",
    "stripe-key": "Stripe: `sk_live_`, `rk_live_`, `sk_test_`, `whsec_`",
    "npm-token": "npm: `npm_`",
    "pypi-token": "PyPI: `pypi-`",
    "gitlab-token": "GitLab: `glpat-` and its kin",
    "huggingface-token": "Hugging Face: `hf_`",
    "sendgrid-key": "SendGrid: `SG.`",
    "digitalocean-token": "DigitalOcean: `dop_v1_`, `doo_v1_`, `dor_v1_`",
    "service-token": "Databricks, Docker, Doppler, Figma, Grafana, Groq, Linear, Notion, Postman, "
    "Replicate, Sentry, Shopify, Supabase, Vault, xAI, age",
    "jwt": "JSON Web Tokens: `eyJ….….…`",
    "private-key": "private keys in PEM: `-----BEGIN … PRIVATE KEY-----`",
    "note-key": "private keys of signed notes, as this program's own: `PRIVATE+KEY+`",
    "url-password": "the password in `scheme://user:password@host`",
    "bearer-token": "what stands behind `Bearer`",
    "basic-credential": "what stands behind `Basic`",
}
"""The shipped rules, and what each hides."""

BEGINNINGS = (
    *((f"gh{kind}_", "github-token", "[A-Za-z0-9]{30,}") for kind in "opsru"),
    ("github_pat_", "github-token", "[A-Za-z0-9_]{22,}"),
    ("sk-ant-", "anthropic-key", "[A-Za-z0-9_-]{16,}"),
    (
        "|sk-", "openai-key",
        "(?!ant-)(?:(?:proj|svcacct|admin|or|lf)-[A-Za-z0-9_-]{16,}|[A-Za-z0-9]{20,})",
    ),
    ("AKIA", "aws-key-id", "[A-Z0-9]{16}"),
    ("ASIA", "aws-key-id", "[A-Z0-9]{16}"),
    ("|AIza", "google-key", "[A-Za-z0-9_-]{35}(?![A-Za-z0-9+/])"),
    ("GOCSPX-", "google-key", "[A-Za-z0-9_-]{20,}"),
    ("|ya29.", "google-key", "[A-Za-z0-9_-]{20,}"),
    ("xox", "slack-token", "[abceprs]-[A-Za-z0-9-]{15,}"),
    ("xapp-", "slack-token", "[0-9]-[A-Za-z0-9-]{15,}"),
    *(
        (f"{kind}k_{where}_", "stripe-key", "[A-Za-z0-9]{16,}")
        for kind in "sr" for where in ("live", "test")
    ),
    ("whsec_", "stripe-key", "[A-Za-z0-9+/]{24,}={0,2}"),
    ("|npm_", "npm-token", "[A-Za-z0-9]{30,}"),
    ("pypi-", "pypi-token", "(?=[a-z-]{0,16}[A-Z0-9])[A-Za-z0-9_-]{32,}"),
    ("gl", "gitlab-token", "(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|oas)-[A-Za-z0-9_.-]{20,}"),
    ("|hf_", "huggingface-token", "[A-Za-z0-9]{30,}"),
    ("|SG.", "sendgrid-key", "[A-Za-z0-9_-]{16,32}[.][A-Za-z0-9_-]{16,64}"),
    *((f"do{kind}_v1_", "digitalocean-token", "[a-f0-9]{40,}") for kind in "opr"),
    ("|dapi", "service-token", "[a-f0-9]{32}"),
    ("dckr_pat_", "service-token", "[A-Za-z0-9_-]{20,}"),
    ("|dp.", "service-token", "(?:pt|st|ct|sa)[.][A-Za-z0-9_.-]{32,}"),
    ("figd_", "service-token", "[A-Za-z0-9_-]{36,}"),
    ("glsa_", "service-token", "[A-Za-z0-9_]{32,}"),
    ("gsk_", "service-token", "[A-Za-z0-9]{40,}"),
    ("lin_api_", "service-token", "[A-Za-z0-9]{32,}"),
    ("|ntn_", "service-token", "[A-Za-z0-9]{40,}"),
    ("PMAK-", "service-token", "[a-f0-9-]{40,}"),
    ("|r8_", "service-token", "[A-Za-z0-9]{36,}"),
    ("sntrys_", "service-token", "[A-Za-z0-9_=+/-]{40,}"),
    ("sntryu_", "service-token", "[A-Za-z0-9_=+/-]{40,}"),
    *((f"shp{kind}_", "service-token", "[A-Fa-f0-9]{32}") for kind in ("at", "ca", "pa", "ss")),
    ("|sbp_", "service-token", "[a-f0-9]{40}"),
    *((f"|hv{kind}.", "service-token", "[A-Za-z0-9_-]{24,}") for kind in "sbr"),
    ("xai-", "service-token", "[A-Za-z0-9]{40,}"),
    ("AGE-SECRET-KEY-1", "service-token", "[A-Z0-9]{50,}"),
    ("/eyJ", "jwt", "[A-Za-z0-9_-]{8,}+[.][A-Za-z0-9_-]{8,}+[.][A-Za-z0-9_-]*+"),
)  # fmt: skip
"""How credentials begin, the rule of each, and what follows: all of it of the bytes of a token.

Before a beginning marked `|` no letter or digit may stand, before one marked `/` not even a dash.
"""


class Beginning:
    """A beginning of credentials; its pattern is made when the beginning is first seen."""

    def __init__(self, text: str, rule: str, rest: str) -> None:
        self.text, self.rule = text.lstrip("|/").encode(), rule
        before = {"|": "A-Za-z0-9", "/": "A-Za-z0-9_-"}.get(text[0])
        look = f"(?<![{before}]{re.escape(text[1:])})" if before else ""
        self._source = f"{re.escape(text.lstrip('|/'))}{look}{rest}".encode()
        self._pattern: re.Pattern[bytes] | None = None

    def find(self, data: bytes) -> "Iterator[re.Match[bytes]]":
        """Yield where such credentials stand in the data."""
        if self._pattern is None:
            self._pattern = re.compile(self._source)
        return self._pattern.finditer(data)


TOKENS = tuple(Beginning(*row) for row in BEGINNINGS)
"""The beginnings, each with what finds its credentials."""

BY_MARK = tuple(
    (mark.encode(), tuple(each for each in TOKENS if mark.encode() in each.text)) for mark in "_-."
)
BARE = tuple(each for each in TOKENS if not re.search(b"[-_.]", each.text))
"""Beginnings with and without a byte that most text does not have."""


def marker_of(rule: str) -> str:
    """Return what stands in the place of what a rule hid."""
    return f"[redacted:{rule}]"


def fault_of_rule(rule: Rule) -> str:
    """Return what is wrong with a rule of a project, or nothing."""
    if not RULE_NAME.fullmatch(rule.name):
        return "name must be of a to z, 0 to 9 and -, 32 at most"
    if rule.name in SHIPPED:
        return "name is that of a shipped rule"
    if rule.kind not in KINDS:
        return f"finds by {', '.join(KINDS)}"
    if rule.kind == "path":
        return "" if path_of(rule.value) is not None else "path must be a JSON pointer, as /a/*/b"
    if len(rule.value.strip("*")) < (1 if rule.kind == "key" else 3):
        least = "a letter" if rule.kind == "key" else "three characters"
        return f"{rule.kind} must have {least} or more"
    if len(rule.value) > 1000:
        return f"{rule.kind} must have 1000 characters or fewer"
    if rule.kind != "key" and any(rule.value in marker_of(name) for name in (*SHIPPED, rule.name)):
        return f"{rule.kind} would find what is hidden already"
    return ""


def path_of(pointer: str) -> tuple[str, ...] | None:
    """Return the components of a JSON pointer (RFC 6901 section 3), None where it is none."""
    if not pointer:
        return ()
    if not pointer.startswith("/") or re.search("~(?![01])", pointer):
        return None
    parts = pointer[1:].split("/")
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in parts)


def glob_matches(parts: list[str], name: str) -> bool:
    """Whether a name is of a form whose parts were parted by `*`; linear in the name."""
    first, *middle = parts
    if not middle:
        return name == first
    last = middle.pop()
    if len(name) < len(first) + len(last) or not name.startswith(first) or not name.endswith(last):
        return False
    at, end = len(first), len(name) - len(last)
    for part in middle:
        at = name.find(part, at, end)
        if at < 0:
            return False
        at += len(part)
    return True
