import pMap from "p-map";

/**
 * Calls `work` for each element, at most `atOnce` at the same time, in order. After a call has failed, no further call begins, and the
 * first error is thrown once all running calls have ended: `pMap` alone would throw at once.
 */
export async function mapInParallel<T>(all: readonly T[], atOnce: number, work: (element: T) => Promise<unknown>): Promise<void> {
  const errors: unknown[] = [];
  const unlessFailed = async (element: T) => {
    if (errors.length === 0) await work(element).catch((error: unknown) => errors.push(error));
  };
  await pMap(all, unlessFailed, { concurrency: atOnce });
  if (errors.length > 0) throw errors[0];
}
