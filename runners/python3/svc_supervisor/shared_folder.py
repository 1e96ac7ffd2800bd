"""The folder ./shared of steps that run in one place: fetched before the run, kept after it when it has changed."""

import contextlib
import hashlib
import io
import os
import stat
import time
import zipfile

from . import artefacts, net, work

_NAME = "shared"
_ATTEMPTS = 3


class SharedFolderError(Exception):
    """The folder cannot be fetched or kept; the message is for the user."""


@contextlib.contextmanager
def opened(wanted):
    """A `Shared`, or None where none is wanted. Raises SharedFolderError."""
    if not wanted:
        yield None
        return
    shared = Shared(wanted)
    try:
        shared.fetch()
        yield shared
    finally:
        shared.remove()


class Shared:
    """Lies aside while the job does not run."""

    def __init__(self, wanted):
        """`wanted` = {archive?: {url, sha256}, putUrl, maxBytes}."""
        self._wanted = wanted
        self._aside = os.path.join(work.folder("artefacts", ".new"), work.own_name())
        self._before = []
        self._is_lost = False
        os.mkdir(self._aside, 0o700)

    def fetch(self):
        archive, path = self._wanted.get("archive"), self._aside + ".zip"
        if not archive:
            return
        try:
            artefacts.download(archive["url"], path, archive["sha256"])
            artefacts.unpack(path, self._aside)
        except artefacts.ArtefactError as error:
            raise SharedFolderError(f"The folder ./shared cannot be loaded: {error}") from error
        finally:
            work.remove(path)
        self._before = _files(self._aside)

    def place(self, directory):
        os.rename(self._aside, os.path.join(directory, _NAME))

    def take_from(self, directory):
        """Call when nothing of the job runs any more."""
        try:
            os.rename(os.path.join(directory, _NAME), self._aside)
        except OSError:
            # The job has removed it, and it is empty now; or it went with a host that had to be ended, and is what it was before.
            self._is_lost = not os.path.isdir(directory)

    def save(self):
        """{sha256, bytes} of what was kept, None when nothing has changed. Raises SharedFolderError."""
        files = _files(self._aside)
        if self._is_lost or files == self._before:
            return None
        limit = self._wanted["maxBytes"]
        if sum(size for _, size, _ in files) > limit:
            raise SharedFolderError(f"The folder ./shared has become larger than {limit // 1_048_576} MB, which it may hold at most.")
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1, strict_timestamps=False) as target:
            for path, _, _ in files:
                with open(os.path.join(self._aside, path), "rb") as file:
                    target.writestr(zipfile.ZipInfo(path), file.read(), zipfile.ZIP_DEFLATED, 1)
        content = archive.getvalue()
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                net.upload(self._wanted["putUrl"], content, "application/zip")
                return {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
            except net.Unreachable:
                time.sleep(0.3 * attempt if attempt < _ATTEMPTS else 0)
        raise SharedFolderError("The folder ./shared could not be kept.")

    def remove(self):
        work.remove(self._aside)


def _files(directory):
    """[(path, bytes, changed)] of the plain files: a link may lead anywhere."""
    found = []
    for parent, folders, names in os.walk(directory):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(parent, name)
            entry = os.lstat(path)
            if stat.S_ISREG(entry.st_mode):
                found.append((os.path.relpath(path, directory), entry.st_size, entry.st_ctime_ns))
    return found
