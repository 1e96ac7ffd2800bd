import { writeFileSync } from "node:fs";
import { DefaultReporter, type SerializedError, type TestModule, type TestRunEndReason, type TestSpecification } from "vitest/node";
import { lastLines, OUTCOME_FILE, type OutsideError, readOutcome } from "../../../engine/commands/test/outcome.ts";

/**
 * Vitest's own report, closed by one line that a person and a script can read: `N passed, N failed`. `npm test` receives the outcome as a
 * file instead, because it prints the line after the second run of failed files.
 */
export default class Reporter extends DefaultReporter {
  private files: readonly TestSpecification[] = [];

  override onTestRunStart(files: readonly TestSpecification[]): void {
    super.onTestRunStart(files);
    this.files = files;
  }

  override onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[], reason: TestRunEndReason): void {
    super.onTestRunEnd(modules, errors, reason);
    const run = { isInterrupted: reason === "interrupted", isNamed: this.ctx.config.testNamePattern !== undefined };
    const outcome = readOutcome(this.files, errors as readonly OutsideError[], run);
    const file = process.env[OUTCOME_FILE];
    if (file) writeFileSync(file, JSON.stringify(outcome));
    else for (const line of lastLines(outcome)) console.log(line);
  }
}
