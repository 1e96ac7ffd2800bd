/** The required part of vitest's test modules. */
export interface Counted {
  children: { allTests(): Iterable<CountedTest>; allSuites(): Iterable<{ fullName: string; errors(): readonly unknown[] }> };
  relativeModuleId: string;
  errors(): readonly unknown[];
}
interface CountedTest {
  fullName: string;
  result(): { state: "passed" | "failed" | "skipped" | "pending"; note?: string | undefined };
}

export interface Tally {
  passed: number;
  failed: number;
  skipped: { name: string; reason: string }[];
}

/**
 * Counts every kind of failure: a file that could not be loaded, a failing hook, an error outside every test
 * and a test that never finished are each one failure.
 */
export function tally(modules: Iterable<Counted>, unhandledErrors: number): Tally {
  const total: Tally = { passed: 0, failed: unhandledErrors, skipped: [] };
  for (const module of modules) {
    total.failed += module.errors().length > 0 ? 1 : 0;
    for (const suite of module.children.allSuites()) total.failed += suite.errors().length > 0 ? 1 : 0;
    for (const test of module.children.allTests()) {
      const { state, note } = test.result();
      if (state === "passed") total.passed += 1;
      else if (state === "skipped")
        total.skipped.push({ name: `${module.relativeModuleId} > ${test.fullName}`, reason: note ?? "no reason given" });
      else total.failed += 1;
    }
  }
  return total;
}

/** Formats the last line of a run, which must stand alone. The reasons for skipped tests precede it. */
export function lastLine({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ""}`;
}
