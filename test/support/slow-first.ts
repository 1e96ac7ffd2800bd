import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take minutes. In a fresh checkout Vitest knows no durations and starts the largest files first, which these are not. */
const SLOW = [
  "test/e2e/api/fuzz",
  "functions/shared/hostile-requests.usecase",
  "functions/shared/documented-replies.usecase",
  "test/e2e/local/up",
  "test/e2e/local/bench",
  "services/flows/runtime/run-task-deaths.usecase",
  "test/e2e/local/upgrade",
  "test/e2e/jobs/concurrency",
  "test/e2e/jobs/recovery",
  "services/flows/lifecycle/executions.usecase",
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
