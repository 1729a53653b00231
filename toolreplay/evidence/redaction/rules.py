"""The rules that find what must not be kept: the shipped ones, and those of a project.

A shipped rule knows a credential by the name it stands under, by the beginning its maker gave it,
or by what stands before it (RFC 6750 section 2.1 `Bearer`, RFC 7617 section 2 `Basic`, RFC 3986
section 3.2.1 user information, RFC 7468 private keys). Each pattern is linear: none has a
repetition within a repetition, and what may repeat without end begins at one place of a run only.
"""

import re
from typing import NamedTuple

__all__ = [
    "BARE",
    "BEGINNINGS",
    "KINDS",
    "LEAST_TOKEN",
    "NAMED",
    "RANDOM",
    "RULE_NAME",
    "SHIPPED",
    "TOKENS",
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

_PATTERNS = {
    "github-token": rb"gh[opsru]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,}",
    "anthropic-key": rb"sk-ant-[A-Za-z0-9_-]{16,}",
    "openai-key": rb"sk-(?<![A-Za-z0-9]sk-)"
    rb"(?:(?:proj|svcacct|admin|or|lf)-[A-Za-z0-9_-]{16,}|[A-Za-z0-9]{20,})",
    "aws-key-id": rb"A(?:KI|SI)A[A-Z0-9]{16}",
    "google-key": rb"AIza[A-Za-z0-9_-]{30,}|GOCSPX-[A-Za-z0-9_-]{20,}|"
    rb"ya29\.(?<![A-Za-z0-9]ya29\.)[A-Za-z0-9_-]{20,}",
    "slack-token": rb"xox[abceprs]-[A-Za-z0-9-]{15,}|xapp-[0-9]-[A-Za-z0-9-]{15,}",
    "stripe-key": rb"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{24,}",
    "npm-token": rb"npm_(?<![A-Za-z0-9_]npm_)[A-Za-z0-9]{30,}",
    "pypi-token": rb"pypi-(?=[a-z-]{0,64}[A-Z0-9])[A-Za-z0-9_-]{32,}",
    "gitlab-token": rb"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|oas)-[A-Za-z0-9_.-]{20,}",
    "huggingface-token": rb"hf_(?<![A-Za-z0-9_]hf_)[A-Za-z0-9]{30,}",
    "sendgrid-key": rb"SG\.(?<![A-Za-z0-9]SG\.)[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}",
    "digitalocean-token": rb"do[opr]_v1_[a-f0-9]{40,}",
    "service-token": rb"dapi(?<![A-Za-z0-9]dapi)[a-f0-9]{32}|dckr_pat_[A-Za-z0-9_-]{20,}|"
    rb"dp\.(?:pt|st|ct|sa)\.[A-Za-z0-9_.-]{32,}|figd_[A-Za-z0-9_-]{36,}|glsa_[A-Za-z0-9_]{32,}|"
    rb"gsk_[A-Za-z0-9]{40,}|lin_api_[A-Za-z0-9]{32,}|ntn_[A-Za-z0-9]{40,}|PMAK-[a-f0-9-]{40,}|"
    rb"r8_[A-Za-z0-9]{36,}|sntry[su]_[A-Za-z0-9_=+/-]{40,}|shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}|"
    rb"sbp_[a-f0-9]{40}|hv[sbr]\.(?<![A-Za-z0-9]hv[sbr]\.)[A-Za-z0-9_-]{24,}|"
    rb"xai-[A-Za-z0-9]{40,}|AGE-SECRET-KEY-1[A-Z0-9]{50,}",
    "jwt": rb"eyJ(?<![A-Za-z0-9_-]eyJ)[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]*+",
}


def _joined(names: list[str]) -> "re.Pattern[bytes]":
    groups = (b"(?P<%s>%s)" % (name.replace("-", "_").encode(), _PATTERNS[name]) for name in names)
    return re.compile(b"|".join(groups))


TOKENS = _joined(list(_PATTERNS))
"""Finds credentials by their beginnings; the group's name is the rule's, with `_` for `-`."""

BEGINNINGS = {
    b"_": (
        b"ghp_", b"gho_", b"ghs_", b"ghr_", b"ghu_", b"github_pat_", b"k_live_", b"k_test_",
        b"whsec_", b"npm_", b"hf_", b"_v1_", b"dckr_pat_", b"figd_", b"glsa_", b"gsk_",
        b"lin_api_", b"ntn_", b"r8_", b"sntry", b"shp", b"sbp_",
    ),
    b"-": (
        b"sk-", b"GOCSPX-", b"xox", b"xapp-", b"pypi-", b"PMAK-", b"xai-", b"SECRET-KEY", b"AIza",
        b"glpat-", b"gldt-", b"glrt-", b"glcbt-", b"glptt-", b"glft-", b"glsoat-", b"glagent-",
        b"glimt-", b"gloas-",
    ),
    b".": (b"ya29.", b"SG.", b"dp.", b"hvs.", b"hvb.", b"hvr.", b"eyJ"),
    b"": (b"AKIA", b"ASIA", b"AIza", b"dapi"),
}  # fmt: skip
"""How those begin that have the mark in them: a run without any is passed over."""

BARE = re.compile(
    rb"(?P<aws_key_id>A(?:KI|SI)A[A-Z0-9]{16})|(?P<google_key>AIza[A-Za-z0-9_-]{30,})|"
    rb"(?P<service_token>dapi(?<![A-Za-z0-9]dapi)[a-f0-9]{32})"
)
"""The same for a run of letters and digits alone: no other can stand in it."""


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
