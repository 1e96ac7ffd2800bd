import { describe, expect, it } from "vitest";
import { anEndedJob } from "../../../test/builders/jobs.ts";
import { jobSchema } from "./job.ts";

describe("a job that release 0.1 stored", () => {
  const { flow: _, step: __, ...stored } = anEndedJob();

  it("is read with its flow's execution and machine, and counts as outdated", () => {
    const { flow } = jobSchema.parse({ ...stored, kind: "flow", flow: { version: 7, plan: "p", n: 3, machine: "m" } });
    expect(flow).toEqual({ version: 7, plan: "p", execution: 3, stateMachine: "m", outdated: true });
    expect(jobSchema.parse({ ...stored, kind: "flow", flow: { n: 0 } }).flow).toEqual({ execution: 0, outdated: true });
  });

  it("is read with the place of its step", () => {
    const step = { id: "a", scope: "each.body", at: "3.", flow: "f/ops/flow", shared: "each.body@3." };
    expect(jobSchema.parse({ ...stored, step }).step).toEqual({
      id: "a",
      scope: "each.body",
      path: "3.",
      flow: "f/ops/flow",
      sharedFolder: "each.body@3.",
    });
  });

  it("is not outdated when this release wrote it", () => {
    const flow = { version: 7, plan: "p", execution: 3, stateMachine: "m" };
    expect(jobSchema.parse({ ...stored, kind: "flow", flow }).flow).toEqual(flow);
  });
});
