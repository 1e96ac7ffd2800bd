import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { freePort } from "../../../engine/engine/ports.ts";
import { svcDir } from "../../../engine/paths.ts";
import { api } from "../../support/api/api.ts";
import { expectStatus, type Workspace, workspaceOf } from "../../support/api/workspace.ts";
import { endCommands, npmRun } from "../../support/engine/commands.ts";
import { until } from "../../support/until.ts";

const stateDir = path.join(svcDir, `test-${process.pid}-902`);
afterAll(async () => {
  await endCommands();
  rmSync(stateDir, { recursive: true, force: true });
});
beforeEach(({ skip }) => skip(process.env["SVC_TEST_LOCALSTACK"] !== "1", "it needs Docker and large images: SVC_TEST_LOCALSTACK=1"));

const containers = () =>
  execFileSync("docker", ["ps", "--all", "--quiet", "--filter", "network=svc-localstack_default"], { encoding: "utf8" }).trim();

/** One after the other, on one instance, because each start deploys the service again. */
describe("npm run up -- --engine localstack", () => {
  let up: ReturnType<typeof npmRun>;
  let demo: Workspace;

  it("the command runs the first example through its webhook, and names the missing features", async () => {
    up = npmRun("up", ["--engine", "localstack", "--port", String(await freePort())], { SVC_STATE_DIR: stateDir });
    await up.says(/Ctrl-C stops it and deletes the container with its state/, 1_800_000);
    expect(up.output()).toContain('f/examples/hello_bun responded through its webhook: {"greeting":"Hello, you!"');
    expect(up.output()).toContain("sign in with this token only, because this engine has no Cognito");
    const { url, token, workspace } = JSON.parse(readFileSync(path.join(stateDir, "local.json"), "utf8"));
    demo = workspaceOf(api({ url, token }), workspace);
  }, 1_900_000);

  it.each([
    ["fibo_deno", { n: 10 }, { n: 10, fibo: 55 }],
    ["slug_nodejs", { title: "Hello World" }, { title: "Hello World", slug: "hello-world" }],
    [
      "words_python",
      { text: "a b a" },
      {
        words: 3,
        most_common: [
          ["a", 2],
          ["b", 1],
        ],
      },
    ],
    ["fibo_go", { n: 10 }, { n: 10, fibo: 55 }],
  ])(
    "containers build and run %s",
    async (name, args, result) => {
      const { hash } = (await demo.get(`scripts/get/p/f/examples/${name}`)).json as { hash: string };
      const built = async () =>
        typeof ((await demo.get(`scripts/deployment_status/h/${hash}`)).json as { lock?: string }).lock === "string";
      await until(built, { timeoutMs: 600_000, what: `the build of ${name}` });
      expect((await demo.completed(await demo.run(`f/examples/${name}`, args), 120_000))["result"]).toEqual(result);
    },
    720_000,
  );

  it("heartbeats report a run while it lasts, and the run reaches the API", async () => {
    await demo.saveScript({ path: "u/admin/long", language: "bash", content: "for i in $(seq 30); do echo line $i; sleep 1; done" });
    const job = await demo.run("u/admin/long");
    const logs = async () => (await demo.get(`jobs_u/get_logs/${job}`)).text.includes("line 3");
    await until(logs, { timeoutMs: 60_000, what: "the log of a run that goes on" });
    expectStatus(await demo.post(`jobs_u/queue/cancel/${job}`, { reason: "heard enough" }), 200);
    expect(await demo.completed(job)).toMatchObject({ canceled_reason: "heard enough" });

    const content = `export async function main() {
  const headers = { authorization: \`Bearer \${process.env.WM_TOKEN}\` };
  return (await fetch(\`\${process.env.BASE_INTERNAL_URL}/api/users/whoami\`, { headers })).json();
}`;
    await demo.saveScript({ path: "u/admin/asks", language: "bun", content });
    expect((await demo.runWait("u/admin/asks")).json).toMatchObject({ email: "admin@example.com" });
  }, 240_000);

  it("Ctrl-C ends the command, and no container remains", async () => {
    up.interrupt();
    await up.ended;
    expect(containers()).toBe("");
  }, 120_000);
});
