import type { ApprovalInfo } from "../../../../contract/routes/approvals/approvals.ts";

const ENDED = new Set(["succeeded", "failed", "canceled", "skipped"]);

/** Returns whether neither the request nor its run can change any more. */
export const isOver = ({ state, run_state }: Pick<ApprovalInfo, "state" | "run_state">) =>
  state !== "open" && state !== "waiting" && ENDED.has(run_state);

/** Returns the milliseconds until the next refetch, or `undefined` for none. `unchanged` counts the fetches since the last change. */
export function refetchIntervalMs(info: Pick<ApprovalInfo, "state" | "run_state">, unchanged: number): number | undefined {
  if (isOver(info)) return undefined;
  const [first, most] = info.state === "open" ? [10_000, 20_000] : [750, 15_000];
  return Math.min(most, first * 1.5 ** Math.min(unchanged, 20));
}
