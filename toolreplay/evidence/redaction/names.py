"""Which names of members, parameters and variables are those of credentials.

A name is split into words (`apiKey`, `API-KEY`, `api_key` are all `api`, `key`) and judged by how
it ends: `password` is one, `password_policy` and `secret_santa` are none.
"""

import re
from typing import Literal

__all__ = ["Likeness", "likeness"]

Likeness = Literal["", "weak", "strong"]
"""How much a name is like that of a credential: not; what stands there must look drawn by lot as
well; whatever stands there is one."""

_WORDS = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

_ENDINGS = (
    "password", "passwords", "passwd", "passphrase", "passphrases", "passcode", "pwd", "pswd",
    "passwordhash", "passwordconfirmation", "passwordconfirm", "passwordrepeat", "passwordagain",
    "secret", "secrets", "secretvalue", "secretstring", "secretbinary", "secrettext", "tokenvalue",
    "tokensecret", "apikey", "apikeys", "accesskey", "accesskeys", "secretkey", "secretkeys",
    "privatekey", "privatekeys", "signingkey", "encryptionkey", "decryptionkey", "masterkey",
    "authkey", "accountkey", "sharedkey", "sshkey", "subscriptionkey", "servicekey", "deploykey",
    "consumerkey", "storagekey", "adminkey", "hmackey", "sessionkey", "apitokens", "accesstokens",
    "refreshtokens", "authtokens", "authorization", "authorizationcode", "authorizationheader",
    "cookie", "cookies", "credential", "credentials", "jwt",
)  # fmt: skip
_WEAK = {
    "key", "keys", "tokens", "auth", "pass", "otp", "session", "sid", "sessionid", "csrf", "xsrf",
    "creds", "cred",
}  # fmt: skip
_BEFORE_PASS = {
    "db", "user", "smtp", "imap", "mysql", "postgres", "pg", "redis", "ftp", "ssh", "admin", "root",
    "login", "http", "proxy", "mail", "email", "ldap",
}  # fmt: skip
_OTHER_TOKENS = {
    "page", "next", "continuation", "pagination", "cursor", "sync", "start", "starting", "end",
    "stop", "eos", "bos", "pad", "padding", "unk", "unknown", "mask", "cls", "sep", "progress",
    "cancellation", "cancel", "special", "request", "idempotency", "per", "max", "min", "num",
    "total", "first", "last", "prev", "previous", "output", "input", "prompt", "image", "audio",
    "marker", "resume", "change", "syntax",
}  # fmt: skip
"""What a token is of that opens nothing: a place in a list, a word of a model, a progress."""
_LONG_OTHERS = tuple(word for word in _OTHER_TOKENS if len(word) > 3)
_QUESTIONS = {
    "is", "has", "needs", "requires", "uses", "show", "hide", "allow", "enable", "disable", "forgot",
}  # fmt: skip
_MOST = 128
"""Characters of a name that are judged, those at its end."""

_known: dict[str, Likeness] = {}


def likeness(name: str) -> Likeness:
    """Return how much a name is like that of a credential."""
    name = name[-_MOST:]
    found = _known.get(name)
    if found is None:
        if len(_known) > 4096:
            _known.clear()
        found = _known[name] = _judged([word.lower() for word in _WORDS.findall(name)])
    return found


def _judged(words: list[str]) -> Likeness:
    while words and words[-1].isdigit():
        words.pop()
    if not words or words[0] in _QUESTIONS:
        return ""
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    joined = "".join(words)
    if joined.endswith(_ENDINGS) or last == "bearer":
        return "strong"
    if joined.endswith("token"):
        stem = joined[:-5]
        is_other = before in _OTHER_TOKENS or (last != "token" and stem.endswith(_LONG_OTHERS))
        return "" if is_other else "strong"
    if last == "pass" and before in _BEFORE_PASS:
        return "strong"
    return "weak" if last in _WEAK or joined in _WEAK else ""
