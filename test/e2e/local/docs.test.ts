import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { api, shared } from "../../support/api/api.ts";
import { expectStatus, workspaceOf } from "../../support/api/workspace.ts";

const blocksOf = (page: string) => {
  const text = readFileSync(path.join(import.meta.dirname, "../../../docs", page), "utf8");
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
};

/** Printed behind the output of each block. */
const END = "---end-of-block---";

it("every shell line of docs/permissions.md runs unchanged and does what the page describes", async () => {
  const client = api();
  await client.post("workspaces/create", { id: "demo", name: "Demo" });
  const demo = workspaceOf(client, "demo");
  // Each line ends the script when the service refuses.
  const blocks = blocksOf("permissions.md");
  const script = blocks.join(`printf '\\n%s\\n' ${END}\n`).replaceAll("curl -sS", "curl -fsS");
  const env = { ...process.env, BASE: shared().url, TOKEN: shared().token };
  const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", script], { env, timeout: 60_000 });
  const outputOf = (request: string) => (stdout.split(END)[blocks.findIndex((block) => block.includes(request))] ?? "").trim();
  const token = outputOf("users/tokens/create");
  expect(JSON.parse(outputOf("auth/device"))).toMatchObject({ verification_uri: `${shared().url}/device`, expires_in: 600 });

  const login = await client.post("auth/login", { email: "ann@example.com", password: "Correct-horse-9" });
  const ann = workspaceOf(api({ url: client.url, token: login.text }), "demo");
  expect((await ann.get("users/whoami")).json).toMatchObject({ username: "ann", groups: ["all", "ops"], folders: ["ops"] });
  await demo.saveScript({ path: "f/ops/hello", language: "bash", content: "echo hello" });
  const run = (at: string) => client.call("POST", `w/demo/jobs/run_wait_result/p/${at}`, { token, body: {} });
  expect(expectStatus(await run("f/ops/hello"), 200).json).toBe("hello");
  expect((await run("f/ops/other")).status).toBe(403);
});
