// esbuild starts its process in the folder in which it was loaded, so it must be loaded before a test changes the current folder.
import "esbuild";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { zipSync } from "fflate";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { capturePrinted, type Printed } from "../../test/support/cli/printed.ts";
import { createProgram } from "./program.ts";

const TOKEN = "0123456789abcdef";
let url = "";
let server: http.Server;
/** The answers of the service by route after the workspace. Others are an empty object. */
let answers: Record<string, unknown>;
let sent: Record<string, unknown>;
let printed: Printed;
let folder: string;

beforeAll(async () => {
  server = http.createServer(async (request, response) => {
    const route = new URL(request.url ?? "", "http://svc").pathname.replace(/^\/api\/(w\/ws\/)?/, "");
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method === "POST") sent[route] = JSON.parse(Buffer.concat(chunks).toString() || "null");
    const answer = answers[route] ?? {};
    response.setHeader("content-type", answer instanceof Uint8Array ? "application/zip" : "application/json");
    response.end(answer instanceof Uint8Array ? answer : JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-printed-"));
  printed = capturePrinted();
  [answers, sent] = [{}, {}];
  for (const [name, value] of Object.entries({ SVC_CONFIG_DIR: folder, SVC_URL: url, SVC_TOKEN: TOKEN, SVC_WORKSPACE: "ws" }))
    vi.stubEnv(name, value);
  vi.spyOn(process, "cwd").mockReturnValue(folder);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = undefined;
});

const svc = (...args: string[]) => createProgram().parseAsync(["node", "svc", ...args]);

function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

const schedule = "schedule: 0 0 * * * *\ntimezone: UTC\nscript_path: f/t/a\nis_flow: false\nargs: {}\nenabled: true\n";
const route = "route_path: a\nscript_path: f/t/a\nis_flow: false\nhttp_method: get\n";

describe("svc sync plan", () => {
  beforeEach(() => {
    write({
      "f/t/name.variable.yaml": "value: v\nis_secret: false\ndescription: ''\n",
      "f/t/a.schedule.yaml": schedule,
      "f/t/b.schedule.yaml": schedule,
      "f/t/a.http_trigger.yaml": route,
    });
    answers["workspaces/list_ws_specific"] = [];
    const variable = JSON.stringify({ value: "w", is_secret: false, description: "" });
    answers["workspaces/tarball"] = zipSync({
      "f/t/folder.meta.json": Buffer.from('{"owners":[],"extra_perms":{}}'),
      "f/t/name.variable.json": Buffer.from(variable),
    });
  });

  it("writes the plan to stdout, and hints and progress to stderr", async () => {
    write({ "svc.yaml": "{}\n" });
    await svc("sync", "plan");
    expect(printed.stdout).toContain("change variable f/t/name");
    expect(printed.stderr).not.toContain("f/t/name");
    expect(printed.stderr).toContain("2 items here are left out. To include such items, set includeSchedules: true in svc.yaml.");
    expect(printed.stderr).toContain("1 item here is left out. To include such items, set includeTriggers: true in svc.yaml.");
  });

  it.each([
    ["includes them", true, ["create schedule f/t/a", "create schedule f/t/b", "create http_trigger f/t/a"]],
    ["leaves them out", false, []],
  ])("gives no hint about schedules and triggers if svc.yaml %s", async (_, included, planned) => {
    write({ "svc.yaml": `includeSchedules: ${included}\nincludeTriggers: ${included}\n` });
    await svc("sync", "plan", "--json");
    const { changes } = JSON.parse(printed.stdout) as { changes: { type: string; kind: string; path: string }[] };
    const others = changes.map(({ type, kind, path }) => `${type} ${kind} ${path}`).filter((change) => /schedule|trigger/.test(change));
    expect(others).toEqual(planned);
    expect(printed.stderr).not.toContain("left out");
  });
});

it("svc completion --help explains how each shell loads the script", async () => {
  await expect(svc("completion", "--help")).rejects.toMatchObject({ code: "commander.helpDisplayed", exitCode: 0 });
  for (const shell of ["bash", "zsh", "fish"]) expect(printed.stdout).toMatch(new RegExp(`^  ${shell} .*svc completion ${shell}`, "m"));
});

it("svc job logs shows the steps of a flow and of the flows in it, each line with the ids of its steps", async () => {
  const flow = (...steps: [id: string, job: string][]) => ({
    job_kind: "flow",
    flow_status: {
      step: 0,
      modules: steps.map(([id, job]) => ({ type: "Success", id, job })),
      failure_module: { type: "WaitingForPriorSteps", id: "failure" },
    },
  });
  Object.assign(answers, {
    "jobs_u/get/outer": flow(["a", "first"], ["sub", "inner"]),
    "jobs_u/get/inner": flow(["b", "second"], ["deep", "innermost"]),
    "jobs_u/get/innermost": flow(["c", "third"]),
    ...Object.fromEntries(["first", "second", "third"].map((job) => [`jobs_u/get/${job}`, { job_kind: "script" }])),
    "jobs_u/get_logs/first": "one\ntwo\n",
    "jobs_u/get_logs/second": "three\n",
    "jobs_u/get_logs/third": "four",
  });
  await svc("job", "logs", "outer");
  expect(printed.stdout).toBe("a | one\na | two\nsub/b | three\nsub/deep/c | four\n");
});

describe("svc token create", () => {
  const expiration = "2040-01-01T00:00:00Z";
  it.each([
    ["is valid as long as the login", [{ token_prefix: TOKEN.slice(0, 10), expiration }], [], expiration],
    ["does not end if the login does not", [{ token_prefix: TOKEN.slice(0, 10) }], [], undefined],
    ["ignores the ends of other tokens", [{ token_prefix: "fedcba9876", expiration }], [], undefined],
    [
      "ends as it is asked to",
      [{ token_prefix: TOKEN.slice(0, 10), expiration }],
      ["--expires-in", "1"],
      expect.stringMatching(/^20\d\d-/),
    ],
  ])("creates a token that %s", async (_, tokens, flags, expected) => {
    Object.assign(answers, { "users/tokens/list": tokens, "users/tokens/create": "new-token" });
    await svc("token", "create", ...flags);
    expect((sent["users/tokens/create"] as { expiration?: string }).expiration).toEqual(expected);
    expect(printed.stdout).toBe("new-token\n");
    expect(printed.stderr.includes(`It is valid as long as your login, until ${expiration}.`)).toBe(
      flags.length === 0 && expected === expiration,
    );
  });
});

/** Returns an archive in which the entry `twice2` has the name of `twice1`. */
const zipWithTwice = (entries: Record<string, Uint8Array>): Uint8Array =>
  Buffer.from(Buffer.from(zipSync(entries)).toString("latin1").replaceAll("twice2", "twice1"), "latin1");

it("svc sync pull names a hostile item and a hostile extension of an archive, and pulls the other items", async () => {
  write({ "svc.yaml": "{}\n" });
  const variable = JSON.stringify({ value: "w", is_secret: false, description: "" });
  Object.assign(answers, {
    "workspaces/list_ws_specific": [],
    "resources/file_resource_type_to_file_ext_map": { evil: { format_extension: "../../x" } },
    "workspaces/tarball": zipWithTwice({
      "f/t/name.variable.json": Buffer.from(variable),
      "f/t/twice1.variable.json": Buffer.from(variable),
      "f/t/twice2.variable.json": Buffer.from(variable),
      "f/../../out.variable.json": Buffer.from(variable),
      "f/t/a.resource.json": Buffer.from(JSON.stringify({ resource_type: "evil", value: { content: "x" } })),
    }),
  });
  await svc("sync", "pull", "--yes");
  expect(printed.stderr).toContain("variable f/../../out is left out");
  expect(printed.stderr).toContain("f/t/twice1.variable.json is left out");
  expect(printed.stderr).toContain('The extension "../../x" of the resource type evil is left out: no file can have it.');
  const written = ["name.variable.yaml", "a.resource.yaml", "twice1.variable.yaml"].map((file) => existsSync(join(folder, "f/t", file)));
  expect(written).toEqual([true, true, false]);
});
