import type { Reply } from "../../../../../../contract/client/operation.ts";
import type { RunState } from "../../../data/run-state.ts";

/** The runs of one part of the time. */
export interface Bar {
  fromMs: number;
  toMs: number;
  /** The number of runs of each state, the ended ones first. */
  counts: [RunState, number][];
  total: number;
  p50Ms: number | undefined;
  p95Ms: number | undefined;
}

const order: readonly RunState[] = [
  ...(["succeeded", "skipped", "canceled", "failed"] as const),
  ...(["suspended", "awaiting_approval", "running", "queued", "scheduled"] as const),
];

/** Returns the bars of the whole time. The reply leaves out parts without runs. */
export function barsOf({ from, to, bucket, buckets }: Reply<"jobs.stats">): Bar[] {
  const stepMs = bucket * 1000;
  const firstMs = Math.floor(Date.parse(from) / stepMs) * stepMs;
  const found = new Map(buckets.map((part) => [Date.parse(part.start), part]));
  const count = Math.max(1, Math.ceil((Date.parse(to) - firstMs) / stepMs));
  return Array.from({ length: count }, (_, index) => {
    const fromMs = firstMs + index * stepMs;
    const part = found.get(fromMs);
    const counts = order.flatMap((state): [RunState, number][] => (part?.counts[state] ? [[state, part.counts[state]]] : []));
    return {
      fromMs,
      toMs: fromMs + stepMs,
      counts,
      total: counts.reduce((sum, [, runs]) => sum + runs, 0),
      p50Ms: part?.p50_ms,
      p95Ms: part?.p95_ms,
    };
  });
}
