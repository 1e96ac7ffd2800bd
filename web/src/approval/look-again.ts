import type { ApprovalInfo } from "../../../contract/routes/approvals/approvals.ts";

const ENDED = new Set(["succeeded", "failed", "canceled", "skipped"]);

/** Whether anything can still change. */
export const isOver = ({ state, run_state }: Pick<ApprovalInfo, "state" | "run_state">) =>
  state !== "open" && state !== "waiting" && ENDED.has(run_state);

/** When to ask again, in ms; `undefined`: never. `looks`: how often it has asked since something changed. */
export function lookAgainMs(info: Pick<ApprovalInfo, "state" | "run_state">, looks: number): number | undefined {
  if (isOver(info)) return undefined;
  const [first, most] = info.state === "open" ? [10_000, 20_000] : [750, 15_000];
  return Math.min(most, first * 1.5 ** Math.min(looks, 20));
}
