import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take long and start first, so that no worker waits for one of them at the end. */
const FIRST = [
  "test/e2e/local/bench",
  "test/e2e/local/up",
  "test/e2e/api/fuzz",
  "functions/shared/hostile-requests.usecase",
  "test/e2e/scripts/new-language",
  "functions/shared/documented-replies.usecase",
  "test/e2e/local/upgrade",
  "services/flows/lifecycle/executions.usecase",
  "services/flows/runtime/run-task-deaths.usecase",
];

/** Files that take long and mostly wait. Two cores would be idle if they ran at the same time. */
const WAITING = [
  "test/e2e/jobs/concurrency",
  "runners/deno/conformance",
  "test/e2e/jobs/recovery",
  "runners/go/conformance",
  "test/e2e/flows/recovery",
  "runners/bun/conformance",
  "test/e2e/approvals/recovery",
  "runners/nodejs/conformance",
  "test/e2e/flows/concurrency-limits",
  "runners/bash/conformance",
  "test/e2e/local/commands",
  "runners/python3/conformance",
  "test/e2e/jobs/queue-recovery",
];

/** The number of other files that start after each file that waits. */
const OTHERS_BETWEEN = 3;

/**
 * Starts long files first, and spreads those that wait over the others. In a fresh checkout Vitest knows no durations and starts the largest
 * files first, which these are not.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const take = (names: readonly string[], from: TestSpecification[]) => {
      const place = ({ moduleId }: TestSpecification) => names.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return from.filter((file) => place(file) !== -1).toSorted((a, b) => place(a) - place(b));
    };
    const sorted = await super.sort(files);
    const [first, waiting] = [take(FIRST, sorted), take(WAITING, sorted)];
    const others = sorted.filter((file) => !first.includes(file) && !waiting.includes(file));
    const mixed = waiting.flatMap((file, at) => [file, ...others.slice(at * OTHERS_BETWEEN, (at + 1) * OTHERS_BETWEEN)]);
    return [...first, ...mixed, ...others.slice(waiting.length * OTHERS_BETWEEN)];
  }
}
