import path from "node:path";
import { type FileOutcome, lastLines, type RunOutcome } from "./outcome.ts";
import { startVitestRuns } from "./vitest-runs.ts";

interface Limits {
  /** More failed files are the sign of a broken change, not of flaky tests. */
  maxFiles: number;
  /** The time limit for the second runs of all files together. */
  timeoutMs: number;
}
const LIMITS: Limits = { maxFiles: 5, timeoutMs: 10 * 60_000 };

interface TestRun {
  /** The folder with vitest's configuration. */
  root: string;
  /** The arguments of vitest. */
  args: readonly string[];
  /** Whether a flaky file is a failure. */
  isStrict?: boolean;
  limits?: Limits;
}

/**
 * Runs vitest, then the failed files a second time: each one alone, without other load. A file that passes the second time is flaky: the last
 * lines name it, and only a strict run fails. Returns the exit code.
 */
export async function runTests({ root, args, isStrict = false, limits = LIMITS }: TestRun): Promise<number> {
  const runs = startVitestRuns(root);
  try {
    const { code, outcome } = await runs.run(args);
    // Vitest has printed the reason for the missing outcome.
    if (!outcome) return code;
    const { files, refusal } = planSecondRun(outcome, limits.maxFiles);
    const deadlineMs = Date.now() + limits.timeoutMs;
    const passed = new Map<FileOutcome, FileOutcome>();
    for (const first of files) {
      if (runs.isStopped() || Date.now() >= deadlineMs) break;
      console.log(`\n${path.relative(root, first.file)} failed. It runs a second time, alone:`);
      const again = await runs.run(["--project", first.project, first.file], deadlineMs);
      const second = again.code === 0 ? again.outcome?.files.find(({ file }) => file === first.file) : undefined;
      if (second && hasRecovered(first, second)) passed.set(first, second);
    }
    const flaky = [...passed.keys()].map(({ file }) => `flaky: ${path.relative(root, file)} failed, then passed when it ran alone`);
    const final = isStrict ? outcome : { ...outcome, files: outcome.files.map((file) => passed.get(file) ?? file) };
    for (const line of lastLines(final, refusal === undefined ? flaky : [refusal])) console.log(line);
    const isRecovered = files.length > 0 && passed.size === files.length && !isStrict && !runs.isStopped();
    return isRecovered ? 0 : code;
  } finally {
    runs.close();
  }
}

/** Returns the files that run a second time, and a line for the user if failed files do not. */
export function planSecondRun(outcome: RunOutcome, maxFiles: number): { files: FileOutcome[]; refusal?: string } {
  const failed = outcome.files.filter((file) => file.failed > 0);
  // The only file of a run, and tests that are chosen by name, ran without other load the first time.
  if (failed.length === 0 || outcome.isInterrupted || outcome.isNamed || outcome.files.length === 1) return { files: [] };
  const refuse = (reason: string) => ({ files: [], refusal: `No file runs a second time, because ${reason}.` });
  if (outcome.files.every(({ passed, skipped }) => passed === 0 && skipped.length === 0)) return refuse("no test passed the first time");
  if (outcome.otherErrors > 0) return refuse("an error occurred outside the test files");
  if (failed.length > maxFiles) return refuse(`more than ${maxFiles} files failed`);
  return { files: failed };
}

/** A second run that skips a failed test does not show that it passes. */
function hasRecovered(first: FileOutcome, second: FileOutcome): boolean {
  const skipped = new Set(second.skipped.map(({ name }) => name));
  return second.failed === 0 && second.passed > 0 && !first.failedTests.some((name) => skipped.has(name));
}
