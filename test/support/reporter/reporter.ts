import { DefaultReporter, type SerializedError, type TestModule, type TestRunEndReason } from "vitest/node";
import { lastLine, tally } from "./tally.ts";

/** Vitest's own report, closed by one line that a person and a script can read: `N passed, N failed`. */
export default class Reporter extends DefaultReporter {
  override onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[], reason: TestRunEndReason): void {
    super.onTestRunEnd(modules, unhandledErrors, reason);
    const total = tally(modules, unhandledErrors.length);
    // With -t, all other tests count as skipped, which is not reported.
    const chosen = this.ctx.config.testNamePattern !== undefined;
    for (const { name, reason: why } of chosen ? [] : total.skipped) console.log(`skipped: ${name}: ${why}`);
    console.log(lastLine(total));
  }
}
