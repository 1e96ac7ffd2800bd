/** The environment variable that names the file in which the reporter stores the outcome of a run. */
export const OUTCOME_FILE = "SVC_TEST_OUTCOME";

/** The required part of vitest's test modules. */
export interface Counted {
  children: { allTests(): Iterable<CountedTest>; allSuites(): Iterable<{ fullName: string; errors(): readonly unknown[] }> };
  relativeModuleId: string;
  state(): "passed" | "failed" | "skipped" | "pending" | "queued";
  errors(): readonly unknown[];
}
interface CountedTest {
  fullName: string;
  result(): { state: "passed" | "failed" | "skipped" | "pending"; note?: string | undefined };
}

/** A test file of a run. It has no module if the run ended before the file began. */
export interface CountedFile {
  moduleId: string;
  project: { name: string };
  testModule: Counted | undefined;
}

/** The required part of vitest's errors outside tests: a late rejection names the file that ran, a dead worker names it in its cause. */
export interface OutsideError {
  VITEST_TEST_PATH?: string;
  cause?: unknown;
}

export interface Tally {
  passed: number;
  failed: number;
  skipped: { name: string; reason: string }[];
}

export interface FileOutcome extends Tally {
  /** The absolute path. */
  file: string;
  project: string;
  /** The names of the failed tests. A file can fail outside its tests too. */
  failedTests: string[];
}

export interface RunOutcome {
  files: FileOutcome[];
  /** Errors that belong to no file. */
  otherErrors: number;
  isInterrupted: boolean;
  /** Whether the run was limited to tests by their names (`-t`), so that all others count as skipped. */
  isNamed: boolean;
}

/**
 * Counts every kind of failure: a file that did not begin or could not be loaded, a failing hook, an error outside every test and an unfinished
 * test are each one failure.
 */
export function readOutcome(
  files: Iterable<CountedFile>,
  errors: Iterable<OutsideError>,
  run: Pick<RunOutcome, "isInterrupted" | "isNamed">,
): RunOutcome {
  const outcomes = Array.from(files, readFile);
  let otherErrors = 0;
  for (const error of errors) {
    const file = outcomes.find((each) => concerns(error, each.file));
    if (file) file.failed += 1;
    else otherErrors += 1;
  }
  return { ...run, files: outcomes, otherErrors };
}

function readFile({ moduleId, project, testModule }: CountedFile): FileOutcome {
  const outcome: FileOutcome = { file: moduleId, project: project.name, passed: 0, failed: 0, skipped: [], failedTests: [] };
  if (!testModule) return { ...outcome, failed: 1 };
  outcome.failed += testModule.errors().length > 0 ? 1 : 0;
  for (const suite of testModule.children.allSuites()) outcome.failed += suite.errors().length > 0 ? 1 : 0;
  for (const test of testModule.children.allTests()) {
    const { state, note } = test.result();
    if (state === "passed") outcome.passed += 1;
    else if (state === "skipped")
      outcome.skipped.push({ name: `${testModule.relativeModuleId} > ${test.fullName}`, reason: note ?? "no reason given" });
    else outcome.failedTests.push(`${testModule.relativeModuleId} > ${test.fullName}`);
  }
  outcome.failed += outcome.failedTests.length;
  const isUnfinished = testModule.state() === "pending" || testModule.state() === "queued";
  return isUnfinished && outcome.failed === 0 ? { ...outcome, failed: 1 } : outcome;
}

function concerns({ VITEST_TEST_PATH, cause }: OutsideError, file: string): boolean {
  if (VITEST_TEST_PATH !== undefined) return VITEST_TEST_PATH === file;
  const { message } = (cause ?? {}) as { message?: unknown };
  // vitest: "Worker exited unexpectedly with signal SIGKILL during started state while running test file /checkout/a.test.ts"
  return typeof message === "string" && message.split(/[\s,]+/).includes(file);
}

export function sumOf({ files, otherErrors }: RunOutcome): Tally {
  const add = (sum: Tally, { passed, failed, skipped }: Tally): Tally => ({
    passed: sum.passed + passed,
    failed: sum.failed + failed,
    skipped: [...sum.skipped, ...skipped],
  });
  return files.reduce<Tally>(add, { passed: 0, failed: otherErrors, skipped: [] });
}

/** Formats the end of a run: the reasons for skipped tests, further lines, and the line of the counts, which must be the last one. */
export function lastLines(outcome: RunOutcome, further: readonly string[] = []): string[] {
  const { passed, failed, skipped } = sumOf(outcome);
  const reasons = outcome.isNamed ? [] : skipped.map(({ name, reason }) => `skipped: ${name}: ${reason}`);
  return [...reasons, ...further, `${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ""}`];
}
