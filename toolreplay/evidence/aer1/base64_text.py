"""Base64 as AER-1 wants it (rules B64-1 to B64-4): one text for one value, and no other.

Standard alphabet, complete padding, unused bits zero, no white space: otherwise a receipt could be
altered without changing what its digest covers.
"""

from binascii import a2b_base64, b2a_base64

__all__ = ["Base64Error", "base64_of", "bytes_of_base64", "decoded_base64", "loosely_read"]

_MOST_PADDING = 2


class Base64Error(ValueError):
    """A text is not the base64 of anything; its text says why."""


def base64_of(data: bytes) -> str:
    """Return the one base64 text of bytes."""
    return b2a_base64(data, newline=False).decode("ascii")


def bytes_of_base64(text: object) -> bytes:
    """Return the bytes that a text stands for. Raises Base64Error with one line."""
    data, is_exact = decoded_base64(text)
    if not is_exact:
        raise Base64Error("has unused bits that are not zero, or surplus padding")
    return data


def decoded_base64(text: object) -> tuple[bytes, bool]:
    """Return the bytes that a text decodes to, and whether it is the one text of them (B64-3).

    For a rule that only reports unused bits (CHN-7). Raises Base64Error for whatever else is wrong.
    """
    if type(text) is not str:
        raise Base64Error("is not a string")
    try:
        # The decoder's strict mode takes three times as long as encoding again, which shows as
        # much: what encodes back to itself has no fault. Only what does not is looked at closely.
        found = a2b_base64(text)
        if b2a_base64(found, newline=False) == text.encode("ascii"):
            return found, True
    except ValueError:
        pass
    data = loosely_read(text)
    if data is None:
        raise Base64Error("is not standard base64 with complete padding")
    return data, b2a_base64(data, newline=False) == text.encode("ascii")


def loosely_read(text: object) -> bytes | None:
    """Return the bytes of a text whose unused bits and surplus `=` are not looked at, or None.

    What a reader without B64-3 works on; the bytes are the right ones, the text may not be.
    """
    if type(text) is not str:
        return None
    try:
        data = a2b_base64(text, strict_mode=True)
    except ValueError:  # of which binascii.Error is one kind; not ASCII is the other
        return None
    return data if text.count("=") <= _MOST_PADDING else None
