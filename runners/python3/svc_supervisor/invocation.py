"""One call of the handler, from request to outcome."""

import json
import re
import time

from svc_host import script

from . import artefacts, beats, net, shared_folder
from . import run as running
from .hosts import HostFailed

REPORT_AFTER_S = 5.0
"""A caller that waited so long may have given up: such a run reports its own end as well."""
MAX_NEXT_BYTES = 1024 * 1024
"""Of all runs that follow in one call: the answer holds it beside the request's own result."""
_UPLOAD_ATTEMPTS = 3
_MAX_RETURNED_CHARS = 3 * 1024 * 1024
"""A Lambda's answer holds 6 MB."""


def handle(request, pool, tmp, facts, started):
    """The RunOutcome of a RunRequest. `facts` receives what the log line says beside it."""
    # Runs of one call share a host; each is a fork of it all the same.
    request = request | {"dedicated": request["dedicated"] and not request.get("together")}
    try:
        with shared_folder.opened(request.get("shared")) as shared:
            outcome, run = _handle(request, shared, pool, tmp, facts, started)
            follow_ups = list(_following(request, shared, pool, tmp, outcome, started))
            _save(shared, outcome, follow_ups)
    except shared_folder.SharedFolderError as error:
        return failed("SharedFolderError", str(error), started)
    if follow_ups:
        outcome["next"] = follow_ups
    lost = run is None or run.beats is not None and run.beats.lost
    if time.monotonic() - started > REPORT_AFTER_S and not lost:
        beats.report(request, outcome)
        outcome["timings"]["totalMs"] = _ms(time.monotonic() - started)
    return outcome


def _following(request, shared, pool, tmp, outcome, started):
    """Outcomes of the runs that may follow in the same call: none begins behind a failure, a long result, or late."""
    following = request.get("next") or {"runs": [], "withinMs": 0}
    own = {name: value for name, value in request.items() if name not in ("next", "preprocessor")}
    results, room, last = [outcome.get("result")], MAX_NEXT_BYTES, outcome
    for run in following["runs"]:
        if last["outcome"] != "success" or "resultUploaded" in last or room <= 0:
            return
        arguments = next_arguments(run["args"], results)
        if arguments is None or _ms(time.monotonic() - started) > following["withinMs"]:
            return
        begun, began_at = time.monotonic(), time.time()
        changed = {"args": arguments, "env": own["env"] | run["env"], "resultUrl": following["resultUrl"]}
        changed |= {"maxInlineResultBytes": room, "watched": False, "follows": True}
        last, _ = _handle(own | run | changed, shared, pool, tmp, {}, begun)
        yield last | {"startedAtMs": int(began_at * 1000), "endedAtMs": int(time.time() * 1000)}
        results.append(last.get("result"))
        room -= len(json.dumps(last.get("result"))) + len(last["logs"]["text"])


def next_arguments(arguments, results):
    """The arguments of a run that follows; None when they are for the executor to find out. As in runners/protocol.ts."""
    made = {}
    for name, argument in arguments.items():
        value = results[argument["of"]] if "of" in argument else argument["value"]
        for part in argument.get("path", []):
            if value is None:
                break
            if isinstance(value, list) and part.isdigit() and str(int(part)) == part and int(part) < len(value):
                value = value[int(part)]
            elif isinstance(value, dict) and part in value:
                value = value[part]
            else:
                return None
        if "of" in argument and re.search(r'"\$(res|var):', json.dumps(value)):
            return None
        made[name] = value
    return made


def _save(shared, outcome, follow_ups):
    """Later steps find what these have left in their folder, however they ended."""
    last = follow_ups[-1] if follow_ups else outcome
    try:
        kept = shared.save() if shared else None
    except shared_folder.SharedFolderError as error:
        if last["outcome"] == "success":
            last.pop("result", None)
            last |= {"outcome": "failure", "error": {"name": "SharedFolderError", "message": str(error)}}
        return
    if kept:
        outcome["shared"] = kept


def _handle(request, shared, pool, tmp, facts, started):
    """One run: its outcome, and the run unless it never was."""
    try:
        lease = artefacts.lease(request["artefact"])
    except artefacts.ArtefactError as error:
        return failed("ArtefactError", str(error), started), None
    facts["downloaded"] = lease.downloaded or None
    try:
        entry = artefacts.entry(lease.root)
        # A host that keeps a module must not serve another version. One that only forks holds nothing of any.
        key = (request["hostKey"], lease.sha256 if request["dedicated"] else None)
        run, fresh = _run(request, pool, tmp, key, lease, entry, shared, facts)
    except artefacts.ArtefactError as error:
        lease.release()
        return failed("ArtefactError", str(error), started), None
    except HostFailed as error:
        lease.release()
        return failed("RunnerError", f"The Python interpreter for the script could not be started: {error}.", started), None
    try:
        outcome = _ending(run)
        if run.preprocessed:
            outcome["preprocessed"] = json.loads(run.preprocessed)
        run.flush()
        outcome["logs"] = _returned_logs(run.log)
        if run.mem_peak_kb:
            outcome["memPeakKb"] = run.mem_peak_kb
        outcome["timings"] = _timings(started, run.ran_from, run.ended_at, fresh)
        return outcome, run
    finally:
        run.close()


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
