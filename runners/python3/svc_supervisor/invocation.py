"""Executes one call of the handler, from request to outcome."""

import json
import re
import time

from svc_host import script

from . import artefacts, beats, net, shared_folder, strays, work
from . import run as running
from .hosts import HostFailed

REPORT_AFTER_S = 5.0
"""A run that takes longer also reports its outcome, because its caller may have stopped waiting."""
MAX_NEXT_BYTES = 1024 * 1024
"""The limit for all following runs of one call together: the answer contains them beside the request's own result."""
_UPLOAD_ATTEMPTS = 3
_MAX_RETURNED_CHARS = 3 * 1024 * 1024
"""The limit of a Lambda answer is 6 MB."""


def handle(request, pool, tmp, facts, started):
    """Returns the RunOutcome of a RunRequest. `facts` receives additional fields for the log line."""
    # Runs of one call share a host, but each is a separate fork of it.
    request = request | {"dedicated": request["dedicated"] and not request.get("together")}
    _end_others(request, pool)
    work.repair()
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
    """Yields the outcomes of the following runs of the same call. None begins after a failure, an uploaded result, or `withinMs`."""
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
    """Returns the arguments of a following run; None if only the executor can resolve them. Follows runners/protocol.ts."""
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
    """Uploads the shared folder for later steps, whatever the outcome of these runs."""
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


def _key(request):
    return (request["hostKey"], request["artefact"]["sha256"].lower() if request["dedicated"] else None)


def _end_others(request, pool):
    """Ends processes that may still be active for another script. Call it before the files of a run are read."""
    # Elsewhere all jobs belong to the same developer.
    if work.SOLE and pool.end_others(_key(request)):
        strays.kill(pool.ids(), None)


def _handle(request, shared, pool, tmp, facts, started):
    """Executes one run and returns its outcome and the run; the run is None if it never started."""
    _end_others(request, pool)
    work.repair()
    try:
        lease = artefacts.lease(request["artefact"])
    except artefacts.ArtefactError as error:
        return failed("ArtefactError", str(error), started), None
    facts["downloaded"] = lease.downloaded or None
    try:
        entry = artefacts.entry(lease.root)
        # A dedicated host has loaded one version and must not execute another. A forking host has loaded none.
        key = _key(request)
        run, fresh = _run(request, pool, tmp, key, lease, entry, shared, facts)
    except artefacts.ArtefactError as error:
        lease.release()
        return failed("ArtefactError", str(error), started), None
    except HostFailed as error:
        lease.release()
        return failed("RunnerError", f"The script's Python interpreter failed: {error}.", started), None
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
    """Returns the outcome of a run that never started."""
    return {
        "outcome": "failure",
        "error": {"name": name, "message": message},
        "logs": {"offset": 0, "text": ""},
        "timings": _timings(started, time.monotonic(), time.monotonic(), False),
    }


def _run(request, pool, tmp, key, lease, entry, shared, facts):
    """Returns the finished run and whether its host was new. Takes over the lease. Raises HostFailed if nothing has run."""
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
            # The host ended while it was idle. Nothing has run, so another host may take the job.
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
    raise HostFailed("it ended twice before the script began")


def _settle(run, pool, tmp, key, lease, facts):
    """Runs after the last process of the run: removes its files, and returns its host to the pool or ends it."""
    host, dedicated = run.host, run.request["dedicated"]
    ended = host.process.pid if dedicated else None
    if strays.kill(pool.ids() | {host.process.pid}, ended) and run.retire is None:
        # A process that evaded the host may have changed it.
        run.retire = "left-over processes"
        host.destroy()
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
            # The loaded module may import more from the artefact later.
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
    """Returns the outcome with its result or error."""
    if run.verdict:
        outcome, error = run.verdict
        return {"outcome": outcome, "error": error}
    if run.header is None:
        return {"outcome": "failure", "error": running.ended_early(run.exit_code, run.request["entrypoint"])}
    if not run.header["ok"]:
        return {"outcome": "failure", "error": run.header["error"]}
    request, size = run.request, len(run.body)
    if size > request["maxResultBytes"]:
        return {"outcome": "failure", "error": script.too_large(request["maxResultBytes"])}
    # One limit applies to result and arguments together.
    if size + len(run.preprocessed or b"") <= request["maxInlineResultBytes"]:
        try:
            return {"outcome": "success", "result": json.loads(run.body)}
        except (ValueError, RecursionError):
            return {"outcome": "failure", "error": {"name": "ResultError", "message": "The result cannot be converted to JSON."}}
    for attempt in range(1, _UPLOAD_ATTEMPTS + 1):
        try:
            net.upload(request["resultUrl"], run.body, "application/json")
            return {"outcome": "success", "resultUploaded": {"bytes": size}}
        except net.Unreachable:
            time.sleep(0.3 * attempt if attempt < _UPLOAD_ATTEMPTS else 0)
    return {"outcome": "failure", "error": {"name": "ResultNotStored", "message": "The script succeeded, but its result could not be stored."}}


def _returned_logs(log):
    logs = log.peek()
    if len(logs["text"]) > _MAX_RETURNED_CHARS:
        logs["text"] = logs["text"][:_MAX_RETURNED_CHARS] + "\n[svc] The rest of the log was lost because the service did not accept it in time.\n"
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
