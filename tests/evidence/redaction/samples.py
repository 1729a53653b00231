"""Credentials that never opened anything, joined at run time so that no scanner takes them for one."""

import base64

LOT = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6kL9nP2rS5tU8wX1zA4cD7fG0iJ3l"
"""Letters and digits as if drawn by lot."""

HEX = "9f3c1a7be4d20586c7f1a93e5b8d4026" * 2


def _jwt() -> str:
    parts = (b'{"alg":"HS256","typ":"JWT"}', b'{"sub":"1234567890"}')
    return ".".join([*(base64.urlsafe_b64encode(p).decode().rstrip("=") for p in parts), LOT[:43]])


TOKENS = {
    "github-token": [
        *("gh" + kind + "_" + LOT[:36] for kind in "psoru"),
        "github" + "_pat_" + LOT[:22] + "_" + LOT[:59],
    ],
    "anthropic-key": ["sk-" + "ant-api03-" + LOT + "-" + LOT[:20] + "AA"],
    "openai-key": ["sk" + "-" + LOT[:48], "sk-" + "proj-" + LOT[:30] + "_" + LOT[:30]],
    "aws-key-id": ["AK" + "IA" + LOT[:16].upper(), "AS" + "IA" + LOT[:16].upper()],
    "google-key": ["AI" + "za" + LOT[:35], "ya" + "29." + LOT, "GOC" + "SPX-" + LOT[:28]],
    "slack-token": ["xo" + f"x{kind}-" + "123456789012-" + LOT[:24] for kind in "abprs"],
    "stripe-key": ["sk" + "_live_" + LOT[:24], "rk" + "_live_" + LOT[:24], "wh" + "sec_" + LOT[:32]],
    "npm-token": ["npm" + "_" + LOT[:36]],
    "pypi-token": ["pypi" + "-AgEIcHlwaS5vcmc" + LOT],
    "gitlab-token": ["gl" + "pat-" + LOT[:20]],
    "huggingface-token": ["hf" + "_" + LOT[:34]],
    "sendgrid-key": ["SG" + "." + LOT[:22] + "." + LOT[:43]],
    "digitalocean-token": ["dop" + "_v1_" + HEX],
    "service-token": [
        "da" + "pi" + HEX[:32], "dckr" + "_pat_" + LOT[:27], "dp" + ".pt." + LOT[:40],
        "fig" + "d_" + LOT[:40], "gl" + "sa_" + LOT[:32] + "_1234abcd", "gs" + "k_" + LOT[:52],
        "lin" + "_api_" + LOT[:40], "nt" + "n_" + LOT[:46], "PM" + "AK-" + HEX[:24] + "-" + HEX[:34],
        "r8" + "_" + LOT[:37], "sn" + "trys_" + LOT, "shp" + "at_" + HEX[:32], "sb" + "p_" + HEX[:40],
        "hv" + "s." + LOT[:24], "xa" + "i-" + LOT + LOT[:16], "AGE-" + "SECRET-KEY-1" + LOT.upper()[:58],
    ],
    "jwt": [_jwt()],
    "private-key": ["-----BEGIN " + f"{kind}PRIVATE KEY-----\nMC4CAQ\n-----END " + f"{kind}PRIVATE KEY-----"
                    for kind in ("", "RSA ", "OPENSSH ", "ENCRYPTED ")],
    "note-key": ["PRIVATE" + "+KEY+example.com/log+0123abcd+" + LOT[:44]],
}  # fmt: skip
"""For each rule that knows credentials by their form, some of them."""

TOKEN = TOKENS["github-token"][0]
