import { WATCH_MS } from "../../jobs/read/read.ts";
import type { VersionRunRequest } from "./run-request.ts";
import { type StartRunOptions, startRun } from "./start-run.ts";

type StartStreamedRunDeps = Parameters<typeof startRun>[0];

/** The streamed run, and the id of the event after which its stream continues. */
interface StreamedRun {
  id: string;
  replayed: boolean;
  lastEventId: string | undefined;
}

/**
 * Starts a run whose caller reads its stream, so that its runner sends output often from the beginning. The caller's last event id is used
 * only if the call was replayed, because it belongs to that run. Throws as `startRun` does.
 */
export async function startStreamedRun(
  deps: StartStreamedRunDeps & { nowMs: () => number },
  request: VersionRunRequest,
  { queueLimit, lastEventId }: Pick<StartRunOptions, "queueLimit"> & { lastEventId: string | undefined },
): Promise<StreamedRun> {
  const { id, replayed } = await startRun(deps, request, { queueLimit, watchedUntilMs: deps.nowMs() + WATCH_MS });
  return { id, replayed, lastEventId: replayed ? lastEventId : undefined };
}
