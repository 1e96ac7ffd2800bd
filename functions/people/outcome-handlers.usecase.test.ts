import { afterAll, beforeAll, expect, it } from "vitest";
import { expectStatus, type Workspace } from "../../test/support/api/workspace.ts";
import { type Service, startService } from "../../test/support/use-cases/service.ts";

let service: Service;
let ws: Workspace;
beforeAll(async () => {
  service = await startService(["jobs", "objects", "people"]);
  ws = service.ws;
  await ws.saveScript({ path: "f/t/handler", language: "bun", content: "export const main = () => 1;" });
});
afterAll(() => service.close());

it("a handler that does not exist is refused, and so are an unknown workspace and an owner without the right to write", async () => {
  for (const route of ["workspaces/edit_error_handler", "workspaces/edit_success_handler"]) {
    expect((await ws.post(route, { path: "script/f/t/none" })).status).toBe(404);
    expect((await ws.post(route, { path: "flow/f/t/handler" })).status).toBe(404);
  }
  for (const path of ["jobs/list", "scripts/list", "workspaces/get_settings", "variables/list"]) {
    const answer = await ws.api.call("GET", `w/no-such-workspace/${path}`, {});
    expect([path, answer.status, answer.headers.get("x-svc-error")]).toEqual([path, 404, "workspace.notFound"]);
  }
  const owner = await ws.post("folders/addowner/t", { owner: "u/ann", write: false });
  expectStatus(owner, 422);
  expect(owner.text).toContain("acls/add/folder");
});

it("a handler that is not a script or flow is refused with the field", async () => {
  for (const [path, body] of Object.entries({ path: { path: "ops/x" }, extra_args: { path: "f/t/x", extra_args: [1] } })) {
    const answer = await ws.post("workspaces/edit_error_handler", body);
    expectStatus(answer, 422);
    expect(answer.text).toContain(path);
  }
});
