import { beforeAll, describe, expect, it } from "vitest";
import { api, shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

const leftPad = 'import p from "left-pad@1.3.0";\nexport const main = () => p("a", 3);';
const body = { raw_scripts: [{ raw_code: leftPad, language: "bun", script_path: "f/t/unsaved" }], entrypoint: "f/t/unsaved" };

/** Sends a request as a CLI does: with the token in the cookie and without an `Origin`. */
const callWithCookie = (route: string, sent: unknown, headers: Record<string, string> = {}) =>
  api({ ...shared(), token: "" }).call("POST", `w/${ws.id}/${route}`, {
    body: sent,
    headers: { cookie: `token=${shared().token}`, ...headers },
  });

describe("the lock of a script that is not saved", () => {
  it("is the result of a job that a CLI starts with a cookie, and no page of another site can start one", async () => {
    const job = expectStatus(await callWithCookie("jobs/run/dependencies_async", body), 201).text;
    const ended = await ws.completed(job);
    expect(ended).toMatchObject({ job_kind: "dependencies", success: true, script_path: "f/t/unsaved" });
    expect((ended["result"] as { lock: string }).lock).toMatch(/left-pad.*1\.3\.0/s);
    expect((await ws.get("scripts/exists/p/f/t/unsaved")).json).toBe(false);
    const listed = (await ws.get("jobs/completed/list", { job_kinds: "dependencies" })).json as { id: string }[];
    expect(listed.map(({ id }) => id)).toContain(job);
    const foreign = await callWithCookie("jobs/run/dependencies_async", body, { origin: "https://other.example" });
    // The local service refuses the page itself, and the deployed one the cookie.
    expect([401, 403]).toContain(foreign.status);
    expect((await ws.post("jobs/run/dependencies", body)).json).toEqual(ended["result"]);
  });

  it("is added to each inline script of a flow", async () => {
    const flow_value = { modules: [{ id: "a", value: { type: "rawscript", language: "bun", content: leftPad, input_transforms: {} } }] };
    const job = expectStatus(await callWithCookie("jobs/run/flow_dependencies_async", { path: "f/t/flow", flow_value }), 201).text;
    const ended = await ws.completed(job);
    expect(ended).toMatchObject({ job_kind: "flowdependencies", success: true });
    expect(ended["result"]).toMatchObject({
      updated_flow_value: { modules: [{ id: "a", value: { content: leftPad, lock: expect.stringContaining("left-pad") } }] },
    });
  });
});
