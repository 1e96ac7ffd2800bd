"""The cache of unpacked artefacts below the work directory, shared by all supervisors of the machine.

A complete directory appears under its hash in one rename. A run holds a shared lock on `<hash>.lock`; only an unlocked
artefact is evicted.
"""

import fcntl
import hashlib
import json
import os
import stat
import time
import zipfile

from . import net, seals, work

MAX_CACHE_BYTES = 400 * 1024 * 1024
MAX_UNPACKED_BYTES = 1024 * 1024 * 1024
_ATTEMPTS = 3


class ArtefactError(Exception):
    """The artefact cannot be loaded. The message is for the user."""


class Lease:
    """A lease of an artefact. Call `release` after the last run from it."""

    def __init__(self, sha256):
        self.sha256 = sha256
        self.root = os.path.join(work.folder("artefacts"), sha256)
        self.downloaded = False
        self._lock = _lock(self.root, fcntl.LOCK_SH)

    def release(self):
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def lease(artefact):
    """Leases an artefact `{url, sha256}`, which is about to run. Raises ArtefactError.

    Downloads and unpacks it if it is not cached, and if another script has changed its files.
    """
    sha256 = artefact["sha256"].lower()
    if len(sha256) != 64 or not all(character in "0123456789abcdef" for character in sha256):
        raise ArtefactError("The artefact's hash is not a SHA-256.")
    held = Lease(sha256)
    try:
        if not seals.is_intact(held.root):
            work.remove(held.root)
            if os.path.lexists(held.root):
                raise ArtefactError("Another script has changed the files of this one, and they cannot be removed.")
        if not os.path.isdir(held.root):
            _load(artefact["url"], held)
            held.downloaded = True
        seals.note_run(held.root)
        if time.time() - os.stat(held.root).st_mtime > 60:
            os.utime(held.root)
        return held
    except BaseException:
        held.release()
        raise


def entry(root):
    """Returns the path of the script inside the artefact. Raises ArtefactError."""
    try:
        with open(os.path.join(root, "svc.json"), encoding="utf-8") as file:
            return json.load(file)["entry"]
    except (OSError, ValueError, KeyError, TypeError):
        raise ArtefactError("The artefact has no svc.json that names its entry file.") from None


def _lock(root, operation):
    """Locks the file beside `root` and returns its descriptor. Raises OSError if `operation` does not wait and the lock is taken."""
    while True:
        lock = os.open(root + ".lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, operation)
            # Eviction removes the lock file, and a lock on a removed file has no effect.
            if os.path.samestat(os.fstat(lock), os.stat(root + ".lock")):
                return lock
        except FileNotFoundError:
            pass
        except OSError:
            os.close(lock)
            raise
        os.close(lock)


def _load(url, held):
    new = os.path.join(work.folder("artefacts", ".new"), work.own_name())
    archive, unpacked = new + ".zip", new
    try:
        download(url, archive, held.sha256)
        os.mkdir(unpacked, 0o700)
        _evict(held.root, _unpacked_bytes(archive))
        size = unpack(archive, unpacked)
        with open(os.path.join(unpacked, ".svc-bytes"), "w") as file:
            file.write(str(size))
        try:
            os.rename(unpacked, held.root)
        except OSError:
            # If another supervisor was faster, its copy has the same bytes.
            if not os.path.isdir(held.root):
                raise
    except OSError as error:
        raise ArtefactError(f"The artefact cannot be unpacked: {error.strerror}.") from error
    finally:
        work.remove(archive)
        work.remove(unpacked)


def download(url, path, sha256, what="The artefact"):
    """Downloads into the file `path` in at most three attempts. `what` begins the sentence of the ArtefactError that it raises."""
    for attempt in range(1, _ATTEMPTS + 1):
        digest = hashlib.sha256()
        try:
            with open(path, "wb") as file:
                net.download(url, lambda part: (digest.update(part), file.write(part)))
        except net.Unreachable as error:
            if attempt == _ATTEMPTS:
                raise ArtefactError(f"{what} could not be downloaded: {error}.") from None
            time.sleep(0.2 * attempt)
            continue
        if digest.hexdigest() != sha256:
            raise ArtefactError(f"{what} is damaged: its SHA-256 is not the expected one.")
        return


def _unpacked_bytes(archive):
    try:
        with zipfile.ZipFile(archive) as file:
            return sum(info.file_size for info in file.infolist())
    except zipfile.BadZipFile as error:
        raise ArtefactError(f"The artefact is not a readable zip file: {error}.") from None


def unpack(archive, directory):
    """Unpacks into `directory` and returns the unpacked bytes. Raises ArtefactError for a path outside `directory` and for links."""
    total = 0
    try:
        with zipfile.ZipFile(archive) as file:
            for info in file.infolist():
                mode = info.external_attr >> 16
                target = os.path.normpath(os.path.join(directory, info.filename))
                if target != directory and not target.startswith(directory + os.sep) or stat.S_ISLNK(mode):
                    raise ArtefactError(f"The artefact contains a path outside its directory: {info.filename}")
                total += info.file_size
                if total > MAX_UNPACKED_BYTES:
                    raise ArtefactError("The artefact is larger than 1 GB when unpacked.")
                if info.is_dir():
                    os.makedirs(target, exist_ok=True)
                    continue
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with file.open(info) as source, open(target, "wb") as sink:
                    while part := source.read(1 << 18):
                        sink.write(part)
                if mode & 0o111:
                    os.chmod(target, 0o755)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise ArtefactError(f"The artefact is not a readable zip file: {error}.") from None
    return total


def _evict(current, room):
    """Removes the least recently used artefacts until the rest and `room` bytes fit. A leased artefact is not removed."""
    cached = sorted(_cached(work.folder("artefacts")))
    total = room + sum(size for _, size, _ in cached)
    for _, size, root in cached:
        if total <= MAX_CACHE_BYTES:
            return
        if root != current and _remove_unused(root):
            total -= size


def _cached(folder):
    for name in os.listdir(folder):
        root = os.path.join(folder, name)
        try:
            with open(os.path.join(root, ".svc-bytes")) as file:
                yield os.stat(root).st_mtime, int(file.read()), root
        except (OSError, ValueError):
            continue


def _remove_unused(root):
    try:
        lock = _lock(root, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    try:
        gone = os.path.join(work.folder("artefacts", ".new"), work.own_name())
        os.rename(root, gone)
        os.unlink(root + ".lock")
        work.remove(gone)
        return True
    except OSError:
        return False
    finally:
        os.close(lock)
