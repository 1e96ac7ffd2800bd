import { describe, expect, it } from "vitest";
import { jobKindSchema } from "../../contract/job-kind.ts";
import { aQueuedJob } from "../../test/builders/jobs.ts";
import { selectRuns, toRunEntry } from "./run-audit.ts";

describe("the entry of a run in the audit log", () => {
  it.each(jobKindSchema.options)("of kind %s has a documented operation, by which it is found", (kind) => {
    const { operation, action_kind } = toRunEntry(aQueuedJob({ kind }));
    expect(operation).toMatch(/^jobs\.(run\.[a-z_]+|flow_dependencies|app_dependencies)$/);
    expect(action_kind).toBe("Execute");
    expect(selectRuns({ operation })?.where).toContainEqual({ field: "kind", anyOf: [kind] });
    expect(selectRuns({ exclude_operations: operation })?.where).not.toContainEqual(
      expect.objectContaining({ field: "kind", anyOf: expect.arrayContaining([kind]) }),
    );
  });

  it.each([{ operation: "scripts.create" }, { action_kind: "Delete" }, { operation: "jobs.run.flow", operations: "jobs.run.script" }])(
    "no job is read for %j",
    (query) => expect(selectRuns(query)).toBeUndefined(),
  );
});
