"""The first entry of a bundle: what is known of the run before its calls are read."""

from toolreplay.evidence.bundle.lines import BundleLine
from toolreplay.evidence.profile.entry import kind_by_profile
from toolreplay.evidence.profile.members import OPEN, faults_in, provenance_of
from toolreplay.records.call import JsonObject

__all__ = ["capture_fault", "opening_of", "other_class"]

_IMPORT = "import"


def opening_of(lines: list[BundleLine]) -> JsonObject:
    """Return the payload of the first entry, or nothing where it is not what opens a run."""
    if lines and lines[0].kind == "entry" and lines[0].payload is not None:
        payload: JsonObject = lines[0].value["payload"]
        if kind_by_profile(payload) == "open" and not any(faults_in(payload, OPEN)):
            return payload
    return {}


def capture_fault(opened: JsonObject, committed: JsonObject) -> str:
    """Say where a run was recorded live and a receipt of it imported, or the other way round.

    Of an import nobody wrote intents; a run that was recorded live has one for every call.
    """
    layer, own = _layer_of(opened), committed["capture"]["layer"]
    if layer == own or _IMPORT not in (layer, own) or not layer:
        return ""
    return f"its capture.layer is {own!r}, and the run was opened as {layer!r}"


def other_class(opened: JsonObject, committed: JsonObject) -> str:
    """Return the provenance class of a receipt where it is not that of the run, else nothing."""
    layer = _layer_of(opened)
    claimed: str = committed["issuer_claims"]["provenance_class"]
    return claimed if layer and claimed != provenance_of(layer) else ""


def _layer_of(opened: JsonObject) -> str:
    layer: str = opened.get("capture", {}).get("layer", "")
    return layer
