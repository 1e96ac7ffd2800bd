import { describe, expect, it } from "vitest";
import { aRunningJob } from "../../test/builders/jobs.ts";
import { buildContextualVariables } from "./contextual-variables.ts";

describe("contextual variables", () => {
  const job = aRunningJob({ path: "f/ops/hello", hash: "00000000000000aa", permissionedAs: "u/ann", attempt: 2 });
  const variables = buildContextualVariables({ job, attempt: 2, token: "t", internalUrl: "http://i", baseUrl: "https://b" });

  it("the variables have the names of the specification: token, workspace, internal URL, attempt", () => {
    expect(variables).toMatchObject({ OV_TOKEN: "t", OV_WORKSPACE: "demo", BASE_INTERNAL_URL: "http://i", OV_ATTEMPT: "2" });
  });

  it("every variable has both prefixes", () => {
    const names = (prefix: string) =>
      Object.keys(variables)
        .filter((name) => name.startsWith(prefix))
        .map((name) => name.slice(3))
        .sort();
    expect(names("WM_")).toEqual(names("OV_"));
    expect(names("WM_")).toEqual(
      expect.arrayContaining(["JOB_ID", "JOB_PATH", "EMAIL", "PERMISSIONED_AS", "STATE_PATH_NEW", "SCRIPT_HASH"]),
    );
  });

  it("every value is a text, also for a preview without a path", () => {
    const { path, hash, ...preview } = job;
    const values = Object.values(buildContextualVariables({ job: preview, attempt: 1, token: "t", internalUrl: "i", baseUrl: "b" }));
    expect(values.every((value) => typeof value === "string")).toBe(true);
  });
});
