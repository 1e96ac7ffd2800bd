import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { type Checkout, newCheckout } from "../../support/cli/checkout.ts";
import { cliHere } from "../../support/cli/cli-here.ts";
import { type Cli, type InstalledCli, installCli } from "../../support/cli/installed-cli.ts";
import { flow, saveFlow } from "../../support/flows/flow.ts";

/** Runs the commands that a test interrupts, or to which it reacts. */
let installed: InstalledCli;
let cli: Cli;
let ws: Workspace;
let checkout: Checkout;
const schema = { type: "object", properties: { n: { type: "number" }, text: { type: "string", default: "a" } }, required: ["n", "text"] };
beforeAll(async () => {
  cli = cliHere();
  [installed, ws] = await Promise.all([installCli(), newWorkspace()]);
  checkout = newCheckout({ ...cli, start: installed.start }, ws.id);
  const hold =
    "export async function main() {\n  console.log('holding');\n  await new Promise((resolve) => setTimeout(resolve, 600_000));\n}\n";
  const twice =
    "export function main(n: number) {\n  console.log('n is', n);\n  if (n < 0) throw new RangeError('negative');\n  return 2 * n;\n}\n";
  await Promise.all([
    ws.saveScript({ path: "f/t/hold", language: "bun", content: hold }),
    ws.saveScript({ path: "f/t/twice", language: "bun", content: twice, schema }),
    saveFlow(ws, "f/t/steps", [
      flow.script("first", "export const main = () => { console.log('in first'); return 1; };", {}, {}),
      flow.each("loop", "[1, 2, 3]", [flow.step("inner", "flow_input.iter.value")]),
      flow.step("gate", "results.loop", { summary: "Approve it", suspend: { required_events: 1, timeout: 600 } }),
      flow.step("last", "results.loop"),
    ]),
    saveFlow(ws, "f/t/failing", [flow.step("a", "Math.random()"), flow.failIf("b", "flow_input.bad", "results.a")]),
  ]);
});
afterAll(() => {
  cli?.remove();
  installed?.remove();
});

type Line = Record<string, unknown>;
const parseLines = (stdout: string) =>
  stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
const runOf = async (...args: string[]) => {
  const { code, stdout } = await checkout.svc(...args, "--json");
  return { code, ...(parseLines(stdout).at(-1) as { id: string; success: boolean; result: unknown }) };
};

describe("svc script run", () => {
  it("prints the result to stdout and the log to stderr, and only the result with --silent", async () => {
    expect(await checkout.svc("script", "run", "f/t/twice", "-d", '{"n": 2}')).toEqual({
      code: 0,
      stdout: "4\n",
      stderr: expect.stringContaining("n is 2"),
    });
    expect(await checkout.svc("script", "run", "f/t/twice", "-d", '{"n": 2}', "--silent")).toEqual({ code: 0, stdout: "4\n", stderr: "" });
    const failed = await checkout.svc("script", "run", "f/t/twice", "-d", '{"n": -1}', "-s");
    expect(failed).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(/^RangeError: negative\n/) });
  });

  it("requires the arguments without a default before it starts a job", async () => {
    const refused = await checkout.svc("script", "run", "f/t/twice");
    expect(refused).toEqual({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/\nThe script f\/t\/twice requires arguments: n. Pass them with --data.\n$/),
    });
    expect(await checkout.svc("script", "run", "f/t/none")).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/\nThere is no script f\/t\/none.\n$/),
    });
    expect(await checkout.svc("flow", "run", "f/t/none")).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/\nThere is no flow f\/t\/none.\n$/),
    });
    expect(await checkout.svc("script", "run", "f/t/none", "-d", "{}")).toMatchObject({ code: 1, stdout: "" });
    expect(await checkout.svc("script", "run", "f/t/twice", "-d", "n=1")).toMatchObject({ code: 2, stdout: "" });
  });

  it("leaves the job running when it is interrupted without a terminal, and another command cancels it", async () => {
    const run = checkout.start("script", "run", "f/t/hold", "--json");
    await run.line(({ log }) => String(log).includes("holding"));
    const { code, stderr } = await run.stop();
    const [, id = ""] = /^Target: .*\nThe job (\S+) continues\.\n$/.exec(stderr) ?? [];
    expect([code, id]).toEqual([130, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    expect(await checkout.json("job", "get", id)).toMatchObject({ type: "QueuedJob", running: true });
    expect(await checkout.json<Line[]>("job", "list", "--running", "--path", "f/t/hold")).toMatchObject([{ id }]);
    expect(await checkout.svc("job", "result", id)).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("has ended") });
    expect(await checkout.svc("job", "cancel", id, "--reason", "enough")).toMatchObject({ code: 0, stdout: "" });
    expect(await ws.completed(id)).toMatchObject({ canceled: true, canceled_reason: "enough" });
    expect((await checkout.svc("job", "list", "--path", "f/t/hold")).stdout).toMatch(new RegExp(`^${id} +canceled `, "m"));
  });
});

describe("svc flow run", () => {
  it("shows the steps, their logs, and a pending approval, until the flow has ended", async () => {
    const run = checkout.start("flow", "run", "f/t/steps", "--json");
    const gate = await run.line((line) => "gate" in line);
    expect(gate).toMatchObject({ step: "gate", gate: { required_events: 1 } });
    const [job] = await checkout.json<{ id: string }[]>("job", "list", "--path", "f/t/steps");
    expectStatus(await ws.post(`jobs/flow/resume/${job?.id}`, {}), 201);
    const { code, stdout } = await run.end;
    const lines = parseLines(stdout);
    expect([code, lines.at(-1)]).toEqual([0, { id: job?.id, success: true, result: [1, 2, 3] }]);
    const events = lines.filter(({ type }) => type !== undefined).map(({ step, type }) => `${step} ${type}`);
    for (const event of ["first succeeded", "loop succeeded", "last waiting", "last succeeded"]) expect(events).toContain(event);
    expect(events.indexOf("first succeeded")).toBeLessThan(events.indexOf("last succeeded"));
    expect(lines).toContainEqual(expect.objectContaining({ step: "first", log: expect.stringContaining("in first") }));
  });

  it("shows people one line for each change, without the links that decide", async () => {
    const run = checkout.start("flow", "run", "f/t/steps");
    await run.text(/^gate: 0 of 1 approvals$/m);
    const [job] = await checkout.json<{ id: string }[]>("job", "list", "--path", "f/t/steps", "--limit", "1");
    expectStatus(await ws.post(`jobs/flow/resume/${job?.id}`, {}), 201);
    const { code, stdout, stderr } = await run.end;
    expect([code, JSON.parse(stdout)]).toEqual([0, [1, 2, 3]]);
    expect(stderr).toMatch(/^first \| in first$/m);
    expect(stderr).toMatch(/^last: waits for approval \(1 more\)$/m);
    expect(stderr).toMatch(/^gate: Approve it\ngate: 0 of 1 approvals$/m);
    expect(stderr).not.toContain("/approve/");
  });

  it("restarts a failed flow from the step that failed, or from another one", async () => {
    const failed = await runOf("flow", "run", "f/t/failing", "-d", '{"bad": true}');
    expect(failed).toMatchObject({ code: 1, success: false });
    const again = await runOf("job", "restart", failed.id);
    expect(again).toMatchObject({ code: 1, success: false });
    expect(again.id).not.toBe(failed.id);
    const good = await runOf("flow", "run", "f/t/failing", "-d", '{"bad": false}');
    expect(await runOf("job", "restart", good.id, "--step", "b")).toMatchObject({ code: 0, result: good.result });
    expect((await runOf("job", "restart", good.id, "--step", "a")).result).not.toBe(good.result);
    expect(await checkout.svc("job", "restart", good.id, "--step", "none")).toMatchObject({ code: 1, stdout: "" });
    expect(await checkout.svc("job", "restart", good.id, "--iteration", "-1")).toMatchObject({ code: 2, stdout: "" });
  });
});

describe("svc job", () => {
  it("reads, lists and repeats a job", async () => {
    const { id } = await runOf("script", "run", "f/t/twice", "-d", '{"n": 5}');
    expect(await checkout.json("job", "get", id)).toMatchObject({ id, type: "CompletedJob", args: { n: 5 }, result: 10 });
    expect(await checkout.svc("job", "logs", id)).toEqual({ code: 0, stdout: expect.stringContaining("n is 5"), stderr: "" });
    expect(await checkout.json("job", "logs", id)).toContain("n is 5");
    expect(await checkout.svc("job", "result", id)).toEqual({ code: 0, stdout: "10\n", stderr: "" });
    const repeated = await checkout.svc("job", "rerun", id, "--silent");
    const [, copy = ""] = /^The job (\S+) runs\.\n$/.exec(repeated.stderr) ?? [];
    expect([repeated.code, repeated.stdout]).toEqual([0, "10\n"]);
    expect(await checkout.json("job", "get", copy)).toMatchObject({ args: { n: 5 }, result: 10 });
    const listed = await checkout.json<{ id: string }[]>("job", "list", "--path", "f/t/twice", "--limit", "2");
    expect(listed.map((job) => job.id)).toEqual([copy, id]);
    const failures = await checkout.json<Line[]>("job", "list", "--path", "f/t/twice", "--failed");
    expect(failures.length).toBeGreaterThan(0);
    for (const job of failures) expect(job).toMatchObject({ success: false });
  });

  it("fails for a job that does not exist, and for one that cannot be repeated", async () => {
    const none = "019a0000-0000-7000-8000-000000000000";
    for (const name of ["get", "logs", "result", "cancel", "rerun", "restart"]) {
      const { code, stdout, stderr } = await checkout.svc("job", name, none);
      expect([name, code, stdout, stderr.trim()]).toEqual([name, 1, "", expect.stringMatching(/^(Target: .*\n)?[A-Z].*\.$/)]);
    }
    const { id } = await runOf("script", "run", "f/t/twice", "-d", '{"n": 1}');
    expect(await checkout.svc("job", "restart", id)).toMatchObject({ code: 1, stdout: "" });
    expect(await checkout.svc("job", "list", "--limit", "many")).toMatchObject({ code: 2, stdout: "" });
  });
});
