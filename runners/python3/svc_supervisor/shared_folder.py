"""The folder ./shared of a flow's steps: downloaded before the run and uploaded after it if it has changed."""

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
    """The folder cannot be downloaded or stored. The message is for the user."""


@contextlib.contextmanager
def opened(wanted):
    """Yields a `Shared`, or None if the request has none. Raises SharedFolderError."""
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
    """The folder. It is outside the job's directory while the job does not run."""

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
            artefacts.download(archive["url"], path, archive["sha256"], "The folder ./shared")
            artefacts.unpack(path, self._aside)
        except artefacts.ArtefactError as error:
            raise SharedFolderError(str(error)) from error
        finally:
            work.remove(path)
        self._before = _files(self._aside)

    def place(self, directory):
        os.rename(self._aside, os.path.join(directory, _NAME))

    def take_from(self, directory):
        """Moves the folder out of the job's directory. Call this after the last process of the job has ended."""
        try:
            os.rename(os.path.join(directory, _NAME), self._aside)
        except OSError:
            # Either the job removed the folder, which then counts as empty, or it was lost with its host and counts as unchanged.
            self._is_lost = not os.path.isdir(directory)

    def save(self):
        """Uploads the folder and returns {sha256, bytes}; None if nothing has changed. Raises SharedFolderError."""
        files = _files(self._aside)
        if self._is_lost or files == self._before:
            return None
        limit = self._wanted["maxBytes"]
        if sum(size for _, size, _ in files) > limit:
            raise SharedFolderError(f"The folder ./shared is larger than the limit of {limit // 1_048_576} MB.")
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
        raise SharedFolderError("The folder ./shared could not be stored.")

    def remove(self):
        work.remove(self._aside)


def _files(directory):
    """Lists (path, bytes, change time) of regular files only, because a link may lead anywhere."""
    found = []
    for parent, folders, names in os.walk(directory):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(parent, name)
            entry = os.lstat(path)
            if stat.S_ISREG(entry.st_mode):
                found.append((os.path.relpath(path, directory), entry.st_size, entry.st_ctime_ns))
    return found
