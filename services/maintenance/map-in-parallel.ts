/**
 * Calls `work` for each element, at most `atOnce` at the same time, in order. After a call has failed no other one begins, and the first error is
 * thrown when those that had begun have ended.
 */
export async function mapInParallel<T>(all: readonly T[], atOnce: number, work: (element: T) => Promise<unknown>): Promise<void> {
  const errors: unknown[] = [];
  const elements = all.values();
  const run = async () => {
    for (const element of elements) {
      try {
        await work(element);
      } catch (error) {
        errors.push(error);
      }
      if (errors.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, run));
  if (errors.length > 0) throw errors[0];
}
