import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that take minutes, and files that mostly wait, among those that do not. In a fresh checkout Vitest knows no durations and starts the
 * largest files first, which these are not.
 */
const SLOW = [
  "test/e2e/api/fuzz",
  "functions/shared/hostile-requests.usecase",
  "functions/shared/documented-replies.usecase",
  "test/e2e/local/up",
  "test/e2e/local/bench",
  "runners/go/conformance",
  "services/flows/runtime/run-task-deaths.usecase",
  "runners/deno/conformance",
  "test/e2e/local/upgrade",
  "runners/python3/conformance",
  "test/e2e/jobs/concurrency",
  "runners/bun/conformance",
  "test/e2e/jobs/recovery",
  "runners/nodejs/conformance",
  "services/flows/lifecycle/executions.usecase",
  "runners/bash/conformance",
  "test/e2e/approvals/recovery",
  "test/e2e/local/commands",
];

/** Starts slow files first, so that no worker waits for one of them at the end. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = SLOW.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return place === -1 ? SLOW.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
