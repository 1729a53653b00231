"""Names of credentials, and names that only sound like one."""

import unittest

from toolreplay.evidence.redaction.names import likeness

STRONG = [
    "password",
    "Password",
    "PASSWORD",
    "passwd",
    "pwd",
    "db_pwd",
    "userPassword",
    "new-password",
    "password2",
    "password_confirmation",
    "passphrase",
    "passcode",
    "secret",
    "client_secret",
    "clientSecret",
    "CLIENT_SECRET",
    "secretKey",
    "secret_access_key",
    "aws_secret_access_key",
    "SecretString",
    "api_key",
    "apikey",
    "apiKey",
    "API-KEY",
    "x-api-key",
    "X-Api-Key",
    "APIKey",
    "access_key",
    "accessKey",
    "private_key",
    "privateKey",
    "signing_key",
    "encryption_key",
    "authorization",
    "Authorization",
    "proxy-authorization",
    "cookie",
    "Cookie",
    "set-cookie",
    "Set-Cookie",
    "token",
    "access_token",
    "accessToken",
    "refresh_token",
    "id_token",
    "auth_token",
    "authtoken",
    "x-auth-token",
    "sessionToken",
    "csrf_token",
    "bot_token",
    "token_value",
    "bearer",
    "bearer_token",
    "credential",
    "credentials",
    "jwt",
    "db_pass",
    "SMTP_PASS",
    "GITHUB_TOKEN",
    "access_tokens",
    "x-amz-security-token",
]

WEAK = [
    "key",
    "keys",
    "tokens",
    "auth",
    "pass",
    "otp",
    "session",
    "sid",
    "session_id",
    "max_tokens",
    "cache_key",
    "public_key",
]

NEITHER = [
    "token_count",
    "token_type",
    "tokenizer",
    "tokenize",
    "token_uri",
    "secret_santa",
    "secret_name",
    "secretary",
    "password_policy",
    "password_length",
    "passwordless",
    "has_password",
    "is_secret",
    "show_password",
    "enable_token",
    "next_page_token",
    "pageToken",
    "nextPageToken",
    "nextpagetoken",
    "continuation_token",
    "progressToken",
    "progress_token",
    "eos_token",
    "pad_token",
    "sync_token",
    "author",
    "authority",
    "authored_by",
    "keyboard",
    "monkey",
    "keyword",
    "passenger",
    "passed",
    "bypass",
    "compass",
    "tokens_used",
    "cookie_policy",
    "cookies_accepted",
    "credit",
    "credited",
    "auth_type",
    "authentication",
    "name",
    "id",
    "url",
    "path",
    "content",
    "sha256",
    "digest",
    "uuid",
    "etag",
    "size",
    "12",
    "_",
    "é",
]


class Judged(unittest.TestCase):
    """Decided by us: a name is judged by how it ends."""

    def test_those_of_credentials(self) -> None:
        for name in STRONG:
            self.assertEqual(likeness(name), "strong", name)

    def test_those_that_need_a_value_drawn_by_lot(self) -> None:
        for name in WEAK:
            self.assertEqual(likeness(name), "weak", name)

    def test_those_that_only_sound_like_one(self) -> None:
        for name in NEITHER:
            self.assertEqual(likeness(name), "", name)

    def test_a_name_of_any_length_costs_nothing(self) -> None:
        self.assertEqual(likeness("aA" * (1 << 20) + "_password"), "strong")


if __name__ == "__main__":
    unittest.main()
