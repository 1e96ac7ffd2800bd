import { afterAll, beforeAll, expect, it } from "vitest";
import { member, type Someone } from "../../test/support/api/people.ts";
import { expectStatus, type Workspace } from "../../test/support/api/workspace.ts";
import { type Service, startService } from "../../test/support/use-cases/service.ts";

let service: Service;
let ws: Workspace;
let other: Someone;
beforeAll(async () => {
  service = await startService(["objects", "people"]);
  ws = service.ws;
  other = await member(ws, "other", "admin");
});
afterAll(() => service.close());

interface Listed {
  path?: string;
  name?: string;
  edited_by?: string;
}
const at = "f/t/edited";

it.each([
  ["variables", { path: at, value: "1", is_secret: false, description: "" }, `variables/update/${at}`, { value: "2" }],
  ["resources", { path: at, value: {}, resource_type: "any" }, `resources/update/${at}`, { value: { a: 1 } }],
  ["resources/type", { name: "edited", schema: {} }, "resources/type/update/edited", { description: "New" }],
  ["apps", { path: at, value: {}, summary: "", policy: { execution_mode: "viewer" } }, `apps/update/${at}`, { summary: "New" }],
  ["folders", { name: "edited" }, "folders/update/edited", { summary: "New" }],
])("the list of %s names the person of the last change", async (kind, body, update, change) => {
  const listed = async () => {
    const found = expectStatus(await ws.get(`${kind}/list`), 200).json as Listed[];
    return found.find(({ path, name }) => path === at || name === "edited")?.edited_by;
  };
  expectStatus(await ws.post(`${kind}/create`, body), 201);
  const creator = await listed();
  expect(creator).toEqual(expect.any(String));
  expectStatus(await other.in(ws).post(update, change), 200);
  expect(await listed()).toBe(other.username);
  expect(other.username).not.toBe(creator);
});
