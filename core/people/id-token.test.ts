import { describe, expect, it } from "vitest";
import { aRunningJob } from "../../test/builders/jobs.ts";
import type { JobActor, Person } from "./actor.ts";
import { buildIdTokenClaims, findFlowOfIdToken } from "./id-token.ts";

const rights = { workspace: "shop", role: "developer" as const, groups: ["ops", "all"], folders: {}, objects: {} };
const ann: Person = {
  ...{ kind: "person", email: "ann@example.com", username: "ann", superAdmin: false, tokenHash: "", tokenPrefix: "" },
  rights,
};
const asJob: JobActor = {
  ...{ kind: "job", email: "ann@example.com", username: "ann", superAdmin: false, rights },
  ...{ jobId: "j", attempt: 1, workspace: "shop", permissionedAs: "u/ann" },
};
const step = { id: "a", scope: "", path: "a", flow: "f/ops/daily" };

describe("the claims of an ID token", () => {
  it("of a user name no job", () => {
    expect(buildIdTokenClaims(ann, "shop", undefined)).toEqual({
      sub: "ann@example.com::::::shop",
      job_id: "",
      path: "",
      flow_path: "",
      groups: ["all", "ops"],
      username: "ann",
      email: "ann@example.com",
      workspace: "shop",
    });
  });

  it("of a superadmin who is no member do not have a username that a member may have", () => {
    const { rights: _, ...outside } = { ...ann, superAdmin: true };
    expect(buildIdTokenClaims(outside, "shop", undefined)).toMatchObject({ username: "ann@example.com", groups: [] });
  });

  it("of a job name its saved script, and the saved flow whose step it is", () => {
    const flow = aRunningJob({ kind: "flow", path: "f/ops/daily" });
    const job = aRunningJob({ path: "f/ops/hello", root: flow.id, step });
    expect(findFlowOfIdToken(job)).toBe(flow.id);
    expect(buildIdTokenClaims(asJob, "shop", { job, flow })).toMatchObject({
      sub: "ann@example.com::f/ops/hello::f/ops/daily::shop",
      job_id: job.id,
      path: "f/ops/hello",
      flow_path: "f/ops/daily",
    });
  });

  it.each(["preview", "flowscript", "flowpreview", "singlestepflow"] as const)(
    "of a %s name no path, because its author chose it",
    (kind) => {
      const job = aRunningJob({ kind, path: "f/payroll/pay" });
      expect(buildIdTokenClaims(asJob, "shop", { job })).toMatchObject({ path: "", sub: "ann@example.com::::::shop" });
    },
  );

  it("of a step of a flow's preview name no flow", () => {
    const flow = aRunningJob({ kind: "flowpreview", path: "f/payroll/pay" });
    const job = aRunningJob({ root: flow.id, step });
    expect(buildIdTokenClaims(asJob, "shop", { job, flow })).toMatchObject({ path: "f/ops/hello", flow_path: "" });
  });

  it("take no flow from a root that the caller of a run chose", () => {
    expect(findFlowOfIdToken(aRunningJob({ root: "f0f0f0f0-0000-4000-8000-000000000000" }))).toBeUndefined();
  });

  it("have a subject with unambiguous parts, whatever an address contains", () => {
    const sly = { ...ann, email: '"x::f/payroll/pay::"@example.com' };
    expect(buildIdTokenClaims(sly, "shop", undefined).sub.split("::")).toEqual([
      '"x%3A%3Af/payroll/pay%3A%3A"@example.com',
      "",
      "",
      "shop",
    ]);
  });
});
