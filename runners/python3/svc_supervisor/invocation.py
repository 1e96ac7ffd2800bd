"""One call of the handler, from request to outcome."""

import json
import time

from svc_host import script

from . import artefacts, beats, net, shared_folder
from . import run as running
from .hosts import HostFailed

REPORT_AFTER_S = 5.0
"""A caller that waited so long may have given up: such a run reports its own end as well."""
_UPLOAD_ATTEMPTS = 3
_MAX_RETURNED_CHARS = 3 * 1024 * 1024
"""A Lambda's answer holds 6 MB."""


def handle(request, pool, tmp, facts, started):
    """The RunOutcome of a RunRequest. `facts` receives what the log line says beside it."""
    try:
        with shared_folder.opened(request.get("shared")) as shared:
            return _handle(request, shared, pool, tmp, facts, started)
    except shared_folder.SharedFolderError as error:
        return failed("SharedFolderError", str(error), started)


def _handle(request, shared, pool, tmp, facts, started):
    try:
        lease = artefacts.lease(request["artefact"])
    except artefacts.ArtefactError as error:
        return failed("ArtefactError", str(error), started)
    facts["downloaded"] = lease.downloaded or None
    try:
        entry = artefacts.entry(lease.root)
        # A host that keeps a module must not serve another version. One that only forks holds nothing of any.
        key = (request["hostKey"], lease.sha256 if request["dedicated"] else None)
        run, fresh = _run(request, pool, tmp, key, lease, entry, shared, facts)
    except artefacts.ArtefactError as error:
        lease.release()
        return failed("ArtefactError", str(error), started)
    except HostFailed as error:
        lease.release()
        return failed("RunnerError", f"The Python interpreter for the script could not be started: {error}.", started)
    try:
        outcome = _with_shared(_ending(run), shared)
        if run.preprocessed:
            outcome["preprocessed"] = json.loads(run.preprocessed)
        run.flush()
        outcome["logs"] = _returned_logs(run.log)
        if run.mem_peak_kb:
            outcome["memPeakKb"] = run.mem_peak_kb
        outcome["timings"] = _timings(started, run.ran_from, run.ended_at, fresh)
        lost = run.beats is not None and run.beats.lost
        if time.monotonic() - started > REPORT_AFTER_S and not lost:
            beats.report(request, outcome)
            outcome["timings"]["totalMs"] = _ms(time.monotonic() - started)
        return outcome
    finally:
        run.close()


def _with_shared(outcome, shared):
    """Later steps find what this one has left in its folder, however it ended."""
    try:
        kept = shared.save() if shared else None
    except shared_folder.SharedFolderError as error:
        if outcome["outcome"] != "success":
            return outcome
        return {"outcome": "failure", "error": {"name": "SharedFolderError", "message": str(error)}}
    return outcome | ({"shared": kept} if kept else {})


def failed(name, message, started):
    """The outcome of a run that never was."""
    return {
        "outcome": "failure",
        "error": {"name": name, "message": message},
        "logs": {"offset": 0, "text": ""},
        "timings": _timings(started, time.monotonic(), time.monotonic(), False),
    }


def _run(request, pool, tmp, key, lease, entry, shared, facts):
    """The finished run, and whether its host was new. Takes over the lease. Raises HostFailed when nothing has run."""
    for last in (False, True):
        host, fresh = pool.take(key)
        run = running.Run(request, host)
        try:
            if shared:
                shared.place(host.directory())
            run.execute(host.directory(), lease.root, entry)
        except HostFailed:
            if shared:
                shared.take_from(host.directory())
            # It ended while it waited. Nothing has run, so another one may.
            host.destroy()
            if last:
                raise
            continue
        except BaseException:
            host.destroy()
            run.close()
            raise
        if shared:
            shared.take_from(host.directory())
        _settle(run, pool, tmp, key, lease, facts)
        return run, fresh
    raise HostFailed("it ended twice")


def _settle(run, pool, tmp, key, lease, facts):
    """After the last process of the run: its files go, and its host waits again or ends."""
    host, dedicated = run.host, run.request["dedicated"]
    host.clear_directory()
    tmp.undo(host)
    if run.retire is None and (worn := host.worn_out(dedicated)):
        run.retire = worn
        host.destroy()
    if run.retire:
        facts["hostRetired"] = run.retire
        lease.release()
    else:
        if dedicated and host.lease is None:
            # Its module may import more from the artefact later on.
            host.lease = lease
        else:
            lease.release()
        modules = (run.header or {}).get("modules")
        if modules:
            host.preload(modules)
        pool.put(key, host)
    try:
        pool.prepare()
    except HostFailed:
        pass


def _ending(run):
    """Outcome, result or error."""
    if run.verdict:
        outcome, error = run.verdict
        return {"outcome": outcome, "error": error}
    if run.header is None:
        return {"outcome": "failure", "error": running.ended_early(run.exit_code, run.request["entrypoint"])}
    if not run.header["ok"]:
        return {"outcome": "failure", "error": run.header["error"]}
    request, size = run.request, len(run.body)
    if size > request["maxResultBytes"]:
        return {"outcome": "failure", "error": script.too_large(size, request["maxResultBytes"])}
    # One limit for all that the answer holds.
    if size + len(run.preprocessed or b"") <= request["maxInlineResultBytes"]:
        try:
            return {"outcome": "success", "result": json.loads(run.body)}
        except (ValueError, RecursionError):
            return {"outcome": "failure", "error": {"name": "ResultError", "message": "The result cannot be JSON."}}
    for attempt in range(1, _UPLOAD_ATTEMPTS + 1):
        try:
            net.upload(request["resultUrl"], run.body, "application/json")
            return {"outcome": "success", "resultUploaded": {"bytes": size}}
        except net.Unreachable as error:
            reason = str(error)
            time.sleep(0.3 * attempt if attempt < _UPLOAD_ATTEMPTS else 0)
    return {"outcome": "failure", "error": {"name": "ResultNotStored", "message": f"The result could not be stored: {reason}."}}


def _returned_logs(log):
    logs = log.peek()
    if len(logs["text"]) > _MAX_RETURNED_CHARS:
        logs["text"] = logs["text"][:_MAX_RETURNED_CHARS] + "\n[svc] The rest of the log was lost: nobody took it in time.\n"
    return logs


def _timings(started, ran_from, ended_at, fresh):
    return {
        "setupMs": _ms(ran_from - started),
        "runMs": _ms(ended_at - ran_from),
        "totalMs": _ms(time.monotonic() - started),
        "freshHost": fresh,
    }


def _ms(seconds):
    return round(seconds * 1000, 3)
