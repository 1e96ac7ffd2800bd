import { keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import type { OutlineStepJson } from "../../../../../../contract/routes/jobs/run-details.ts";
import { call } from "../../../data/api.ts";
import type { RunState } from "../../../data/run-state.ts";
import { usePolling } from "../polling.ts";
import { type RunJob, runKey } from "../use-run.ts";

export type Step = OutlineStepJson;

const PER_PAGE = 200;

interface OutlineRequest {
  workspace: string;
  id: string;
  /** The path of the step whose inside is read. Absent: the steps of the flow. */
  under?: string | undefined;
  onlyFailed?: boolean;
  /** The page to begin with, from 1, for an iteration in the middle of a loop. */
  firstPage?: number;
}

/**
 * Loads the summaries of one level of steps, page by page. They are read repeatedly while the run continues, because its events do not report
 * steps.
 */
export function useOutline({ workspace, id, under, onlyFailed = false, firstPage = 1 }: OutlineRequest) {
  const queries = useQueryClient();
  const refetchInterval = usePolling(() => queries.getQueryData<RunJob>(runKey(workspace, id))?.type !== "QueuedJob");
  return useInfiniteQuery({
    refetchInterval,
    queryKey: [...runKey(workspace, id), "outline", under, onlyFailed, firstPage],
    queryFn: ({ pageParam, signal }) =>
      call.jobs.getFlowOutline({
        workspace,
        id,
        query: { under, only_failed: onlyFailed || undefined, page: pageParam, per_page: PER_PAGE },
        signal,
      }),
    initialPageParam: firstPage,
    // Another filter keeps the steps, so that what is open stays open.
    placeholderData: keepPreviousData,
    getNextPageParam: (last, _, page) => (last.length < PER_PAGE ? undefined : page + 1),
  });
}

/** The page of an outline, from 1, that contains an iteration, by its number from 0. */
export const pageOf = (iteration: number): number => Math.floor(iteration / PER_PAGE) + 1;

/** The page of the level `under` that contains the selected step. Levels without iterations have one page. */
export function pageOfSelected(under: string, selected: string | undefined): number {
  const [iteration = ""] = selected?.startsWith(`${under}/`) ? selected.slice(under.length + 1).split("/") : [];
  return /^\d+$/.test(iteration) ? pageOf(Number(iteration)) : 1;
}

/** The number of the iteration, or the name of the branch, in which the selected step is. `path`: that of the loop or the branches. */
export const selectedInside = (path: string, selected: string | undefined): string | undefined =>
  selected?.startsWith(`${path}/`) ? selected.slice(path.length + 1).split("/")[0] || undefined : undefined;

/** Returns the state that the console words. A step that has not started, or never runs, has none. */
export const stateOfStep = ({ state, skipped }: Pick<Step, "state" | "skipped">): RunState | undefined => {
  if (skipped) return "skipped";
  return state === "waiting" || state === "not_run" ? undefined : state;
};

/** The name of a step in a list: the number of an iteration or a branch, otherwise its module. */
export function nameOfStep(
  { kind, iteration, module, path }: Step,
  texts: { iteration: (n: number) => string; branch: (n: number) => string },
): string {
  if (kind === "iteration") return texts.iteration((iteration ?? 0) + 1);
  if (kind === "branch") return texts.branch(Number(path.split("/").at(-1)) + 1);
  return module;
}

/** The durations of a step: how long it was queued, ran and waited for an approval. An unfinished one lasts until now. */
export function timesOf(step: Step, nowMs: number) {
  const { queued_at, started_at, ended_at, waited_ms } = step;
  const startMs = started_at === undefined ? undefined : Date.parse(started_at);
  const endMs = ended_at === undefined ? nowMs : Date.parse(ended_at);
  const queuedFromMs = queued_at === undefined ? startMs : Date.parse(queued_at);
  return {
    fromMs: queuedFromMs,
    startMs,
    endMs,
    queuedMs: waited_ms ?? (queuedFromMs === undefined ? undefined : Math.max(0, (startMs ?? nowMs) - queuedFromMs)),
    ranMs: startMs === undefined ? undefined : Math.max(0, endMs - startMs),
    ...waitOf(step, nowMs),
  };
}

const waits: readonly Step["state"][] = ["suspended", "awaiting_approval"];

/** The time between the request for an approval and its decision. The end of a flow without a decision is not known here. */
function waitOf({ state, approval }: Step, nowMs: number) {
  const decidedMs = approval?.decided_at === undefined ? undefined : Date.parse(approval.decided_at);
  const untilMs = decidedMs ?? (waits.includes(state) ? nowMs : undefined);
  if (!approval || untilMs === undefined) return {};
  const waitedFromMs = Date.parse(approval.opened_at);
  return { waitedFromMs, waitedMs: Math.max(0, untilMs - waitedFromMs) };
}

/** Returns how long the steps of a list have waited for approvals, or `undefined` if none has requested one. */
export function sumWaits(steps: readonly Step[], nowMs: number): number | undefined {
  const found = steps.flatMap((step) => timesOf(step, nowMs).waitedMs ?? []);
  return found.length === 0 ? undefined : found.reduce((sum, waitedMs) => sum + waitedMs, 0);
}
