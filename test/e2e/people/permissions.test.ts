import { beforeAll, describe, expect, it } from "vitest";
import { member, type Someone } from "../../support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { findLogLine } from "../../support/engine/logs.ts";

let ws: Workspace;
let dev: Someone;
const echo = (path: string, content = "echo hi") => ({ path, summary: "", language: "bash", content });
const status = async (answer: Promise<{ status: number }>) => (await answer).status;

beforeAll(async () => {
  ws = await newWorkspace();
  dev = await member(ws, "dev");
  for (const [name, perms] of Object.entries({
    open: { [`u/${dev.username}`]: true, "g/all": false },
    shown: { "g/all": false },
    hidden: {},
  })) {
    expectStatus(await ws.post("folders/create", { name, owners: [], extra_perms: perms }), 201);
    await ws.saveScript(echo(`f/${name}/x`));
  }
});

describe("rights on the run path", () => {
  it("rights are read together with token and script, in one call", async () => {
    const job = await dev.in(ws).run("f/shown/x");
    const line = await findLogLine((text) => text.includes(job) && text.includes("jobs.run.scripts"), "the run");
    const { aws } = JSON.parse(line.slice(line.indexOf("{"))) as { aws: { requests?: Record<string, number> } & Record<string, number> };
    const calls = aws.requests ?? aws;
    expect(Object.entries(calls).filter(([name]) => name.startsWith("dynamodb."))).toEqual([
      ["dynamodb.BatchGetItem", 1],
      ["dynamodb.PutItem", 1],
    ]);
  });
});

describe("jobs", () => {
  const probe = (route: string) =>
    `curl -s -o /dev/null -w '%{http_code}' "$BASE_INTERNAL_URL/api/w/$WM_WORKSPACE/${route}" -H "Authorization: Bearer $WM_TOKEN"`;

  it("a job has exactly the rights of the user who started it", async () => {
    await ws.saveScript(echo("f/shown/probe", probe("scripts/get/p/f/hidden/x")));
    expect((await ws.runWait("f/shown/probe")).json).toBe("200");
    expect((await dev.in(ws).runWait("f/shown/probe")).json).toBe("404");
  });

  it("a job imports no script that the user of its build may not read", async () => {
    const code = (value: string) => `export const secret = "${value}"; export const main = () => secret;`;
    await ws.saveScript({ path: "f/hidden/lib", language: "bun", content: code("planted") });
    await ws.saveScript({ path: "f/shown/lib", language: "bun", content: code("shown") });
    const importing = (folder: string) => `import { secret } from "/f/${folder}/lib"; export const main = () => secret;`;
    const mine = dev.in(ws);
    const preview = (content: string) => mine.post("jobs/run_wait_result/preview", { language: "bun", content });
    expect((await preview(importing("shown"))).json).toBe("shown");
    const refused = await preview(importing("hidden"));
    expect(refused.text).toContain("there is no script f/hidden/lib");
    expect(refused.text.replaceAll("hidden", "absent")).toBe((await preview(importing("absent"))).text);
    const hash = await mine.saveScript({ path: "f/open/thief", language: "bun", content: importing("hidden") });
    expect((await mine.get(`scripts/deployment_status/h/${hash}`)).text).toContain("there is no script f/hidden/lib");
    expect((await ws.post("jobs/run_wait_result/preview", { language: "bun", content: importing("hidden") })).json).toBe("planted");
  });

  it("a job runs on behalf of the owner if the script requests it, and only an admin may choose another user", async () => {
    const boss = await member(ws, "boss", "admin");
    const script = { ...echo("f/shown/behalf", `echo "$WM_PERMISSIONED_AS" && ${probe("scripts/get/p/f/hidden/x")}`) };
    await boss.in(ws).saveScript({ ...script, on_behalf_of_email: boss.email });
    const mine = dev.in(ws);
    expect((await mine.runWait("f/shown/behalf")).json).toBe("200");
    const job = await mine.run("f/shown/behalf");
    expect(await mine.completed(job)).toMatchObject({
      permissioned_as: `u/${boss.username}`,
      email: boss.email,
      created_by: dev.username,
    });
    const onBehalf = { ...echo("f/open/behalf"), on_behalf_of_email: boss.email };
    expect(await status(mine.post("scripts/create", { ...onBehalf, preserve_on_behalf_of: true }))).toBe(403);
    expectStatus(await mine.post("scripts/create", onBehalf), 201);
    expect((await mine.get("scripts/get/p/f/open/behalf")).json).toMatchObject({ on_behalf_of_email: dev.email });
  });
});
