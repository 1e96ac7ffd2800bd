import { expect, it } from "vitest";
import { api, shared } from "../../support/api/api.ts";
import { expectStatus, workspaceOf } from "../../support/api/workspace.ts";
import { readings } from "../../support/docs/pages.ts";
import { readAloud } from "../../support/docs/reader.ts";

it("every shell line of docs/permissions.md runs unchanged and does what the page describes", async () => {
  const client = api();
  await client.post("workspaces/create", { id: "demo", name: "Demo" });
  const demo = workspaceOf(client, "demo");
  const [, token = "", device = ""] = (await readAloud(readings.permissions, { workspace: "demo" })).map((output) => output.trim());
  expect(JSON.parse(device)).toMatchObject({ verification_uri: `${shared().url}/device`, expires_in: 600 });

  const login = await client.post("auth/login", { email: "ann@example.com", password: "Correct-horse-9" });
  const ann = workspaceOf(api({ url: client.url, token: login.text }), "demo");
  expect((await ann.get("users/whoami")).json).toMatchObject({ username: "ann", groups: ["all", "ops"], folders: ["ops"] });
  await demo.saveScript({ path: "f/ops/hello", language: "bash", content: "echo hello" });
  const run = (at: string) => client.call("POST", `w/demo/jobs/run_wait_result/p/${at}`, { token, body: {} });
  expect(expectStatus(await run("f/ops/hello"), 200).json).toBe("hello");
  expect((await run("f/ops/other")).status).toBe(403);
});
