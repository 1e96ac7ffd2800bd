/** Calls a function for each item, at most `atOnce` at a time. After a failure no further call starts, and those under way end. */
export async function runParallel<T>(items: readonly T[], atOnce: number, call: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const failures: unknown[] = [];
  const work = async () => {
    for (let item = waiting.shift(); item !== undefined && failures.length === 0; item = waiting.shift()) {
      try {
        await call(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  if (failures.length > 0) throw failures[0];
}
