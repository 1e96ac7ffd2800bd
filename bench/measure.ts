/** Milliseconds of each of some calls, sorted. */
export type Sample = readonly number[];

function quantile(sample: Sample, part: number): number {
  return sample[Math.min(sample.length - 1, Math.floor(sample.length * part))] ?? Number.NaN;
}

export const median = (sample: Sample) => quantile(sample, 0.5);
export const p95 = (sample: Sample) => quantile(sample, 0.95);

export const sorted = (values: readonly number[]): Sample => [...values].sort((a, b) => a - b);

/** Calls one after the other. The first `warmUp` do not count. */
export async function oneClient(call: () => Promise<unknown>, { calls, warmUp }: { calls: number; warmUp: number }): Promise<Sample> {
  const took: number[] = [];
  for (let at = -warmUp; at < calls; at++) {
    const startedMs = performance.now();
    await call();
    if (at >= 0) took.push(performance.now() - startedMs);
  }
  return sorted(took);
}

export interface Throughput {
  perSecond: number;
  sample: Sample;
}

/**
 * Makes calls from parallel clients, each after its previous response. Calls before `warmUpMs` do not count. `enough`: stops after so many
 * calls, which shows only that the measurement works.
 */
export async function manyClients(
  call: () => Promise<unknown>,
  { clients, warmUpMs, forMs, enough = Number.POSITIVE_INFINITY }: { clients: number; warmUpMs: number; forMs: number; enough?: number },
): Promise<Throughput> {
  const fromMs = performance.now() + warmUpMs;
  const untilMs = fromMs + forMs;
  const took: number[] = [];
  const client = async () => {
    for (;;) {
      const startedMs = performance.now();
      if (startedMs > untilMs || took.length >= enough) return;
      await call();
      const endedMs = performance.now();
      if (endedMs > fromMs && endedMs <= untilMs) took.push(endedMs - startedMs);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { perSecond: (took.length * 1000) / forMs, sample: sorted(took) };
}

/** The engine ends processes that are unused for two minutes, except one of each function. It checks twice a minute. */
export const REST_MS = 155_000;
