"""FileSource: one input, opened and recognised, yields its runs."""

import os
from collections.abc import Iterator

from toolreplay.errors import InputError
from toolreplay.packaged import extensions_of, load_extension
from toolreplay.records.account import Account
from toolreplay.records.limits import Limits
from toolreplay.records.meta import MetaReader, meta_name
from toolreplay.records.run import (
    BUNDLE,
    RECEIPTS,
    SEALED,
    STORE,
    TIMELINE,
    WORKFLOW,
    Run,
    RunInfo,
    ToolEffects,
)
from toolreplay.records.transcript import read_sealed, read_transcript
from toolreplay.sources.head import head_of
from toolreplay.sources.naming import split_run
from toolreplay.sources.opening import Opened, open_seekable, plain_name, shown_name
from toolreplay.sources.recognise import OWN_FORMS, recognise

__all__ = ["FileSource"]


class FileSource:
    """An input that was recognised. `account` is filled by an import while its runs are read.

    Raises InputError when the input cannot be opened, or NotRecognisedError.
    """

    def __init__(
        self, name: str, limits: Limits, forced: str | None = None, opened: Opened | None = None
    ) -> None:
        self.name = name
        self.account = Account()
        self._limits = limits
        self._path, self._wanted = split_run(name)
        self._opened = opened or open_seekable(self._path, limits)
        self._origin = self._opened.file.tell()
        self.form = recognise(head_of(self._opened.file, limits), name, forced).form
        if self.form == STORE and (name == "-" or self._opened.raw is None):
            raise InputError(name, "is a store, which is read where it stands: name its file")
        if self.form != STORE and self._wanted is not None:
            raise InputError(
                self._path, "is no store, of which `#` names a run (--run chooses one)"
            )

    @property
    def is_import(self) -> bool:
        """Whether an importer reads it, so that there is an account."""
        return self.form not in OWN_FORMS

    def runs(self, *, with_log: bool = False) -> Iterator[Run]:
        """Yield each run once; a run's calls are read before the next run is asked for.

        Of a store the log as a whole comes first where it is asked for.
        """
        self._opened.file.seek(self._origin)
        shown = shown_name(self.name)
        if self.is_import:
            importer = load_extension("importers", self.form)
            for run in importer.read(self._opened.file, self._limits, self.account):
                name = run.info.name
                if not name or name.startswith("."):
                    name = plain_name(shown) + name
                info = run.info._replace(
                    name=name, file=shown, lost=self.account.lost, importer=self.form
                )
                yield run._replace(info=info, raw=run.raw or self._opened.raw)
            return
        if self.form == STORE:
            from toolreplay.sources.store import store_runs

            yield from store_runs(self._path, self._wanted, shown, self._limits, with_log=with_log)
            return
        if self.form == BUNDLE:
            from toolreplay.sources.bundle import bundle_run

            yield bundle_run(self._opened, shown, self._limits)
            return
        if self.form in (RECEIPTS, TIMELINE, WORKFLOW):
            from toolreplay.sources.aer1 import aer1_runs

            yield from aer1_runs(self.form, self._opened, shown, self._limits)
            return
        info = RunInfo(plain_name(shown), shown, self.form)
        if self.form == SEALED:
            yield Run(info, read_sealed(self._opened.file, self._limits), self._opened.raw)
            return
        calls = read_transcript(self._opened.file, self._limits)
        companion = meta_name(self.name)
        if self.name == "-" or not os.path.isfile(companion):
            yield Run(info, calls, self._opened.raw)
            return
        try:
            file = open(companion, "rb")  # noqa: SIM115 - closed below
        except OSError as error:
            raise InputError(companion, error.strerror or str(error)) from None
        with file:
            meta = MetaReader(file, companion, self._limits)
            info = info._replace(
                name=meta.run,
                agent=meta.agent,
                model=meta.model,
                lost=meta.lost,
                importer=meta.imported,
                effects=_effects_of(meta.imported, companion),
            )
            yield Run(info, meta.join(calls), self._opened.raw)

    def sha256(self) -> str:
        """Return the digest of the input's bytes as hex (of the expanded ones, if compressed)."""
        from hashlib import sha256

        file = self._opened.file
        file.seek(self._origin)
        digest = sha256()
        while piece := file.read(1 << 20):
            digest.update(piece)
        return digest.hexdigest()

    def close(self) -> None:
        """Close the input."""
        self._opened.file.close()


def _effects_of(imported: str, companion: str) -> ToolEffects:
    """Return what the importer that made a transcript knows of its host's tools."""
    if imported not in extensions_of("importers"):
        raise InputError(companion, f"line 1: no importer '{imported[:40]}'")
    importer = load_extension("importers", imported)
    return ToolEffects(importer.MUTATORS, importer.READERS)
