import type { FlowModule } from "../../contract/flows/flow-value.ts";

type ParallelLoop = Pick<Extract<FlowModule["value"], { type: "forloopflow" }>, "parallelism">;

/** The maximum number of concurrent iterations of a parallel loop, which is the maximum of a Map state. */
export const MOST_AT_ONCE = 40;

/** Returns the number of concurrent iterations for a configured number, which may be absent. */
export const limitAtOnce = (configured: number | null | undefined): number =>
  Math.min(configured && configured >= 1 ? Math.floor(configured) : MOST_AT_ONCE, MOST_AT_ONCE);

/** Returns the number of concurrent iterations of a parallel loop, or `undefined` if an expression decides it when the loop begins. */
export function staticWidth({ parallelism }: ParallelLoop): number | undefined {
  if (typeof parallelism !== "object" || parallelism === null) return limitAtOnce(parallelism);
  return parallelism.type === "static" && typeof parallelism.value === "number" ? limitAtOnce(parallelism.value) : undefined;
}
