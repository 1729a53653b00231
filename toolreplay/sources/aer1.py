"""The runs of AER-1 documents without a bundle: receipts alone, a timeline, workflow closes."""

from collections.abc import Iterator

from toolreplay.records.limits import Limits
from toolreplay.records.run import (
    NO_PROVENANCE,
    RECEIPTS,
    TIMELINE,
    WORKFLOW,
    Run,
    RunInfo,
    ToolEffects,
)
from toolreplay.sources.opening import Opened, plain_name

__all__ = ["aer1_runs"]


def aer1_runs(form: str, opened: Opened, shown: str, limits: Limits) -> Iterator[Run]:
    """Yield the runs of an open input of one of the three forms; each is read to its end.

    Raises InputError for what cannot be read.
    """
    info = RunInfo(plain_name(shown), shown, form, provenance=NO_PROVENANCE, effects=ToolEffects())
    # Each form loads what it needs: to start is half the time of verifying a few receipts.
    if form == RECEIPTS:
        from toolreplay.evidence.alone.receipts import ReceiptsChecker

        receipts = ReceiptsChecker(opened.file, limits)
        info = info._replace(provenance=receipts.provenance, evidence=receipts)
        yield Run(info, receipts.calls(), opened.raw)
    elif form == TIMELINE:
        from toolreplay.evidence.alone.timeline import TimelineChecker

        timeline = TimelineChecker(opened.file, limits)
        info = info._replace(
            name=timeline.name or info.name, provenance=timeline.provenance, evidence=timeline
        )
        yield Run(info, timeline.calls(), opened.raw)
    else:
        assert form == WORKFLOW
        from toolreplay.evidence.alone.delivered import documents_of
        from toolreplay.evidence.alone.workflow import CloseChecker

        for delivered in documents_of(opened.file, limits):
            close = CloseChecker(delivered)
            own = info._replace(
                name=close.name or info.name, provenance=close.provenance, evidence=close
            )
            yield Run(own, close.calls(), opened.raw)
