"""The run of a bundle: what its first entry says, its calls, and the evidence that judges them."""

from toolreplay.evidence.bundle.checking import BundleChecker
from toolreplay.evidence.profile.members import provenance_of
from toolreplay.packaged import extensions_of, load_extension
from toolreplay.records.limits import Limits
from toolreplay.records.run import BUNDLE, NO_PROVENANCE, Run, RunInfo, ToolEffects
from toolreplay.sources.opening import Opened

__all__ = ["bundle_run"]


def bundle_run(opened: Opened, shown: str, limits: Limits) -> Run:
    """Return the run of an open bundle. Raises InputError where its first lines are not one's."""
    checker = BundleChecker(opened.file, limits, opened.raw)
    first = checker.opened
    agent, capture = first.get("agent", {}), first.get("capture", {})
    info = RunInfo(
        name=first.get("name") or checker.run,
        file=shown,
        form=BUNDLE,
        run_id=checker.run,
        agent=agent.get("name"),
        model=agent.get("model"),
        host_version=agent.get("harness"),
        provenance=provenance_of(capture.get("layer", "")) or NO_PROVENANCE,
        effects=_effects_of(capture.get("adapter", "")),
        evidence=checker,
    )
    return Run(info, checker.calls(), opened.raw)


def _effects_of(adapter: str) -> ToolEffects:
    """Return what the importer that a run came through knows of its host's tools."""
    if adapter not in extensions_of("importers"):
        return ToolEffects()
    importer = load_extension("importers", adapter)
    return ToolEffects(importer.MUTATORS, importer.READERS)
