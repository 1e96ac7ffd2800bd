import { execFile } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { removeInstance } from "../../../engine/engine/instance.ts";
import { freePort, isPortFree } from "../../../engine/engine/ports.ts";
import { isAlive } from "../../../engine/launch/lock.mjs";
import { svcDir } from "../../../engine/paths.ts";
import { api } from "../../support/api/api.ts";
import { expectStatus, workspaceOf } from "../../support/api/workspace.ts";
import { consent, runOf, startRun } from "../../support/approvals/approvals.ts";
import { endCommands, npmRun } from "../../support/engine/commands.ts";
import { shareGoCache } from "../../support/engine/go-cache.ts";
import { until } from "../../support/until.ts";

/** The tests run in order, and each continues from the state of the previous one. */
const stateDir = path.join(svcDir, `test-${process.pid}-901`);
const env = { SVC_STATE_DIR: stateDir };
const READY = /Ctrl-C stops it and saves its state/;
afterAll(async () => {
  await endCommands();
  await removeInstance(path.join(stateDir, "local"));
  rmSync(stateDir, { recursive: true, force: true });
});

type LocalJson = Record<"url" | "workspace" | "token" | "email" | "password", string>;
const localJson = () => JSON.parse(readFileSync(path.join(stateDir, "local.json"), "utf8")) as LocalJson;
const demo = () => workspaceOf(api(localJson()), localJson().workspace);
const enginePid = () => (JSON.parse(readFileSync(path.join(stateDir, "local/engine/engine.pid"), "utf8")) as { pid: number }).pid;
const bash = async (line: string, more: Record<string, string> = {}) =>
  (
    await promisify(execFile)("bash", ["-euo", "pipefail", "-c", line], { env: { ...process.env, ...more }, timeout: 60_000 })
  ).stdout.trim();
/** The commands of the greeting, as a person copies them. */
const printed = (output: string) => output.split("\n").flatMap((line) => /^ {2}((?:curl|JOB=).*)$/.exec(line)?.[1] ?? []);

describe("npm run up", () => {
  let up: ReturnType<typeof npmRun>;
  let port: number;
  let job: string;
  let hash: string;
  let token: string;

  it("the command starts everything, and only its owner can read address and credentials", async () => {
    shareGoCache(path.join(stateDir, "local/work"));
    port = await freePort();
    up = npmRun("up", ["--port", String(port)], env);
    await up.says(READY);
    const found = localJson();
    expect(Object.keys(found)).toEqual(["url", "workspace", "token", "email", "password"]);
    expect(found).toMatchObject({ url: `http://127.0.0.1:${port}`, workspace: "demo", email: "admin@example.com" });
    expect(new URL(found.url).origin).toBe(found.url);
    expect(found.password.length).toBeGreaterThan(8);
    expect(statSync(path.join(stateDir, "local.json")).mode & 0o777).toBe(0o600);
    expect(up.output()).toContain("run as your user and can read your files");
    token = found.token;
  }, 240_000);

  it("the command prints lines that work unchanged", async () => {
    const [wait, background, result, ...others] = printed(up.output());
    expect(others).toEqual([]);
    expect(JSON.parse(await bash(wait ?? ""))).toMatchObject({ greeting: "Hello, you!" });
    job = await bash(background ?? "");
    expect(job).toMatch(/^[0-9a-f-]{36}$/);
    const maybe = () => bash(result ?? "", { JOB: job }).then((text) => JSON.parse(text) as { completed: boolean });
    expect(await until(async () => ((await maybe()).completed ? maybe() : undefined), { what: "the job's end" })).toMatchObject({
      success: true,
      result: { greeting: "Hello, you!" },
    });
  });

  it("the command prints the end of each run: of scripts, flows and schedules, with the reason of a failure", async () => {
    await up.says(new RegExp(`demo f/examples/hello_bun succeeded \\d+ ms, webhook ${job}`));
    await demo().saveScript({
      path: "f/examples/refuses",
      language: "bun",
      content: "export const main = () => { throw new TypeError('no'); };",
    });
    const schedule = { schedule: "* * * * * *", timezone: "UTC", script_path: "f/examples/refuses", is_flow: false, args: {} };
    expectStatus(await demo().post("schedules/create", { path: "f/examples/often", ...schedule }), 201);
    await up.says(/demo f\/examples\/refuses failed \d+ ms, schedule f\/examples\/often [0-9a-f-]{36} TypeError: no/);
    expectStatus(await demo().call("DELETE", "schedules/delete/f/examples/often"), 200);
    const step = { id: "a", value: { type: "script", path: "f/examples/refuses", input_transforms: {} } };
    const retried = { ...step, retry: { constant: { attempts: 1, seconds: 0 } }, continue_on_error: true };
    await startRun(demo(), [retried, { id: "b", value: { type: "identity" } }]);
    await up.says(/(step a of preview failed[\s\S]*){2}demo preview succeeded/);
    expect((await demo().runWait("f/examples/missing")).status).toBe(404);
    await up.says(/demo f\/examples\/missing refused: 404/);
  });

  it("npm run logs shows lines of the functions, of one function, and the log of a run", async () => {
    const shown = async (...args: string[]) => {
      const logs = npmRun("logs", args, env);
      return [await logs.ended, logs.output()] as const;
    };
    expect(await shown()).toEqual([0, expect.stringMatching(/^\d\d:\d\d:\d\d \S+ \{.*"message"/m)]);
    expect(await shown("worker", "--lines", "3")).toEqual([0, expect.stringMatching(/^(\d\d:\d\d:\d\d worker .*\n){1,3}$/)]);
    expect(await shown(job)).toEqual([0, expect.stringMatching(/^demo f\/examples\/hello_bun succeeded\n\ngreeting you/)]);
    expect(await shown("nonsense")).toEqual([1, expect.stringContaining("There is no function nonsense. Functions with a log: ")]);
    expect(await shown("00000000-0000-4000-8000-000000000000")).toEqual([1, expect.stringContaining("There is no run 00000000-")]);
  });

  it("the command stores outgoing mail, and npm run mail shows it", async () => {
    const none = npmRun("mail", [], env);
    expect([await none.ended, none.output()]).toEqual([0, expect.stringContaining("No mail was sent")]);
    const run = await startRun(demo(), [consent("pay", ["role:admin"], { message: "Pay 7?" })]);
    await until(async () => JSON.stringify((await runOf(demo(), run)).gates).includes('"to":"admin@example.com"'), { what: "the mail" });
    const mail = npmRun("mail", [], env);
    expect(await mail.ended).toBe(0);
    expect(mail.output()).toMatch(/^To: admin@example\.com\nSubject: Approval needed: pay/m);
    expect(mail.output()).toContain("Pay 7?");
    expectStatus(await demo().api.post(`v1/runs/${run}/consent`, { decision: "approved" }), 200);
  });

  it("a second start in the same directory is rejected, and so is a reset during the run", async () => {
    const second = npmRun("up", ["--port", String(await freePort())], env);
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`npm run up is already running on port ${port}`);
    const reset = npmRun("reset", [], env);
    expect(await reset.ended).toBe(1);
    expect(reset.output()).toContain("npm run up is using this state");
    expect((await demo().get("scripts/list_paths")).status).toBe(200);
  });

  it("Ctrl-C ends all processes", async () => {
    hash = await demo().saveScript({ path: "u/admin/mine", language: "bash", content: "echo mine" });
    await demo().saveScript({ path: "f/examples/fibo_deno", language: "bash", content: "echo changed" });
    expectStatus(await demo().post("scripts/delete/p/f/examples/disk_bash", {}), 200);
    const pid = enginePid();
    up.interrupt();
    await up.ended;
    expect(up.output()).not.toMatch(/^ {4}at /m);
    expect(isAlive(pid)).toBe(false);
    expect(await isPortFree(port)).toBe(true);
  });

  it("a restart deploys nothing, and scripts, jobs and tokens still exist", async () => {
    up = npmRun("up", ["--port", String(port)], env);
    await up.says(READY);
    expect(up.output()).toMatch(/deploy.*nothing changed/);
    expect(localJson().token).toBe(token);
    expect(expectStatus(await demo().get("scripts/get/p/u/admin/mine"), 200).json).toMatchObject({ hash });
    expect((await demo().runWait("u/admin/mine")).json).toBe("mine");
    expect((await demo().get(`jobs_u/completed/get/${job}`)).json).toMatchObject({ success: true, result: { greeting: "Hello, you!" } });
    expect((await demo().get("scripts/history/p/f/examples/hello_bun")).json).toHaveLength(1);
    expect((await demo().get("scripts/get/p/f/examples/fibo_deno")).json).toMatchObject({ content: "echo changed" });
    expect((await demo().get("scripts/exists/p/f/examples/disk_bash")).json).toBe(false);
  }, 240_000);

  it("the command ends if its engine is killed, with one sentence that names the next step", async () => {
    process.kill(enginePid(), "SIGKILL");
    expect(await up.ended).toBe(1);
    const said = up.output().slice(up.output().search(READY));
    expect(
      said.match(/The local engine stopped unexpectedly .*\. Start it again with npm run up\. Its log is .*engine\.log\./g),
    ).toHaveLength(1);
    expect(said).not.toMatch(/^ {4}at /m);
    expect(await isPortFree(port)).toBe(true);
  });
});

describe("npm run reset", () => {
  it("the command removes only the state of npm run up, and reports if there is none", async () => {
    const reset = npmRun("reset", [], env);
    expect(await reset.ended).toBe(0);
    expect(reset.output()).toMatch(/^Removed .*local and .*local\.json: scripts, jobs and the account/m);
    expect([existsSync(path.join(stateDir, "local")), existsSync(path.join(stateDir, "local.json"))]).toEqual([false, false]);
    expect(existsSync(path.join(svcDir, "venv"))).toBe(true);
    const again = npmRun("reset", [], env);
    expect(await again.ended).toBe(0);
    expect(again.output()).toContain("There is nothing to remove");
    const mail = npmRun("mail", [], env);
    expect([await mail.ended, mail.output()]).toEqual([1, expect.stringContaining("The local service is not running")]);
  });
});
