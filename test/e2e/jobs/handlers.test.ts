import { beforeAll, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { until } from "../../support/until.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
  await ws.saveScript({ path: "f/t/fails", language: "bun", content: 'export const main = () => { throw new Error("no disk"); };' });
  await ws.saveScript({ path: "f/t/works", language: "bun", content: "export const main = () => ({ rows: 3 });" });
  const content = `export async function main(error, result, channel) {
    const get = (path) => fetch(\`\${process.env.BASE_INTERNAL_URL}/api/w/\${process.env.WM_WORKSPACE}/\${path}\`, {
      headers: { authorization: "Bearer " + process.env.WM_TOKEN },
    });
    const statuses = await Promise.all(["variables/get_value/f/t/shared", "variables/get_value/f/t/other", "users/list"].map(async (path) => (await get(path)).status));
    return { error, result, channel, statuses };
  }`;
  await ws.saveScript({ path: "f/t/handler", language: "bun", content });
  for (const path of ["f/t/shared", "f/t/other"]) {
    expectStatus(await ws.post("variables/create", { path, value: `the value of ${path}`, is_secret: false, description: "" }), 201);
  }
  expectStatus(await ws.post("acls/add/variable/f/t/shared", { owner: "g/error_handler", write: false }), 200);
});

/** The ended job of the handler that follows a job. */
const handlerOf = (job: string) =>
  until(
    async () => {
      const [found] = (await ws.get("jobs/completed/list", { parent_job: job })).json as { id: string }[];
      return found && ws.completed(found.id);
    },
    { what: `the handler of job ${job}`, timeoutMs: 30_000 },
  );

it("a failed script calls the error handler of its workspace as the group error_handler, and a success the success handler", async () => {
  const error = { path: "script/f/t/handler", extra_args: { channel: "$var:f/t/shared" }, muted_on_cancel: true };
  expectStatus(await ws.post("workspaces/edit_error_handler", error), 200);
  expectStatus(await ws.post("workspaces/edit_success_handler", { path: "script/f/t/handler" }), 200);
  expect((await ws.get("workspaces/get_settings")).json).toMatchObject({ error_handler: error, success_handler: { path: error.path } });
  const statuses = [200, 404, 200];
  const failed = await ws.run("f/t/fails");
  expect(await handlerOf(failed)).toMatchObject({
    permissioned_as: "g/error_handler",
    created_by: "error_handler",
    parent_job: failed,
    result: { error: { name: "Error", message: "no disk" }, channel: "the value of f/t/shared", statuses },
  });
  const reply = await ws.runWait("f/t/works");
  const worked = reply.headers.get("x-svc-job-id") ?? "";
  expect(await handlerOf(worked)).toMatchObject({ result: { result: { rows: 3 }, statuses } });
  expectStatus(await ws.post("workspaces/edit_error_handler", {}), 200);
  expectStatus(await ws.post("workspaces/edit_success_handler", {}), 200);
  expect((await ws.get("workspaces/get_settings")).json).toEqual({ workspace_id: ws.id, name: ws.id });
});
