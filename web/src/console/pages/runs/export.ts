import { ask } from "../../data/api.ts";
import { stateOf } from "../../data/run-state.ts";
import { toCsv } from "../../parts/result/csv.ts";
import type { ListQuery } from "./query.ts";
import type { Run } from "./use-runs.ts";

/** An export ends here, because the list itself reaches no further in one go. */
const MOST_RUNS = 10_000;
const PER_PAGE = 100;

/** Reads all runs that match, page by page. `onProgress` gets the number of runs that were read so far. */
export async function readAll(
  workspace: string,
  query: ListQuery,
  onProgress: (count: number) => void,
  signal: AbortSignal,
): Promise<Run[]> {
  const runs: Run[] = [];
  let cursor: string | undefined;
  do {
    const { value, headers } = await ask.jobs.list({ workspace, query: { ...query, per_page: PER_PAGE, cursor }, signal });
    runs.push(...value);
    onProgress(runs.length);
    cursor = headers.get("x-next-cursor") ?? undefined;
  } while (cursor !== undefined && runs.length < MOST_RUNS);
  return runs;
}

const columns = ["id", "path", "kind", "state", "trigger", "created_by", "created_at", "started_at", "ended_at", "duration_ms"] as const;

function rowOf(run: Run): Record<(typeof columns)[number], string | number> {
  const isEnded = run.type === "CompletedJob";
  return {
    id: run.id,
    path: run.script_path ?? "",
    kind: run.job_kind,
    state: stateOf(run, Date.now()),
    trigger: run.trigger_kind ?? "",
    created_by: run.created_by,
    created_at: run.created_at,
    started_at: run.started_at ?? "",
    ended_at: isEnded ? run.completed_at : "",
    duration_ms: isEnded ? run.duration_ms : "",
  };
}

/** Writes runs as CSV, without arguments and results. */
export const runsAsCsv = (runs: readonly Run[]): string =>
  toCsv(
    columns,
    runs.map((run) => {
      const row = rowOf(run);
      return columns.map((name) => row[name]);
    }),
  );

/** Writes runs as JSON, one on each line. */
export const runsAsJsonLines = (runs: readonly Run[]): string => runs.map((run) => `${JSON.stringify(rowOf(run))}\n`).join("");
