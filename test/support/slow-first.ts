import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take minutes. In a fresh checkout Vitest knows no durations and starts the largest files first, which these are not. */
const SLOW = ["api/fuzz", "local/up", "local/upgrade", "jobs/concurrency", "jobs/recovery", "approvals/recovery", "local/commands"];

/** Starts slow files first, so that no worker waits for one of them at the end. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = SLOW.findIndex((name) => moduleId.endsWith(`/test/e2e/${name}.test.ts`));
      return place === -1 ? SLOW.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
