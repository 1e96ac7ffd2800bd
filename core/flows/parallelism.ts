import type { FlowModule } from "../../contract/flows/flow-value.ts";

type ParallelLoop = Pick<Extract<FlowModule["value"], { type: "forloopflow" }>, "parallelism">;

/** The most iterations of a parallel loop that run at once: a Map state takes no more. */
export const MOST_AT_ONCE = 40;

/** Returns how many iterations run at once for a stated number, which may be absent. */
export const limitAtOnce = (wanted: number | null | undefined): number =>
  Math.min(wanted && wanted >= 1 ? Math.floor(wanted) : MOST_AT_ONCE, MOST_AT_ONCE);

/** Returns how many iterations of a parallel loop run at once, or `undefined` if an expression decides it when the loop begins. */
export function staticWidth({ parallelism }: ParallelLoop): number | undefined {
  if (typeof parallelism !== "object" || parallelism === null) return limitAtOnce(parallelism);
  return parallelism.type === "static" && typeof parallelism.value === "number" ? limitAtOnce(parallelism.value) : undefined;
}
