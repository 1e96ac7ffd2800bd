import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { api, shared } from "../../support/api/api.ts";
import { member, type Someone } from "../../support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { asks, sees, startRun, waiting } from "../../support/approvals/approvals.ts";
import { type Checkout, newCheckout } from "../../support/cli/checkout.ts";
import { cliHere } from "../../support/cli/cli-here.ts";
import { type Cli, type InstalledCli, installCli } from "../../support/cli/installed-cli.ts";

/** Runs the logins, which a person answers while the command runs, and finds the bundler. */
let installed: InstalledCli;
let cli: Cli;
let ws: Workspace;
let checkout: Checkout;
beforeAll(async () => {
  cli = cliHere();
  [installed, ws] = await Promise.all([installCli(), newWorkspace()]);
  checkout = newCheckout(cli, ws.id);
});
afterAll(() => {
  cli?.remove();
  installed?.remove();
});

describe("svc login", () => {
  const profilesOf = () => JSON.parse(readFileSync(join(installed.folder, "config/profiles.json"), "utf8")) as Profiles;
  interface Profiles {
    active?: string;
    profiles: Record<string, { token: string }>;
  }
  const inFolder = { cwd: "/" };
  /** Starts a login and lets a user decide about it, as the page does. */
  async function decide(user: Someone, approve: boolean) {
    const login = installed.start(["login", api().url, "--json"], inFolder);
    const [, code] = await login.text(/confirm the code (\S+)/);
    expect((await user.api.get(`auth/device/${code}`)).json).toMatchObject({ user_code: code });
    expectStatus(await user.api.post("auth/device/approve", { user_code: code, approve }), 200);
    return login.end;
  }

  it("gets the token of the user who confirms its code, uses the only workspace, and revokes the token at the end", async () => {
    const user = await member(ws, "device");
    const { code, stdout, stderr } = await decide(user, true);
    expect([code, stdout, stderr]).toEqual([0, "", expect.stringContaining(`Logged in as ${user.email}. The profile ${ws.id} is active`)]);
    const { token } = profilesOf().profiles[ws.id] ?? { token: "" };
    const whoami = await installed.run(["workspace", "whoami", "--json"], inFolder);
    expect(JSON.parse(whoami.stdout)).toMatchObject({ email: user.email, url: api().url, workspace: ws.id, profile: ws.id });
    expect(await installed.run(["logout"], inFolder)).toMatchObject({
      code: 0,
      stdout: "",
      stderr: expect.stringContaining(`\nLogged out at ${api().url}. Removed: ${ws.id}.\n`),
    });
    expect((await api().call("GET", "users/whoami", { token })).status).toBe(401);
    expect(profilesOf()).toEqual({ profiles: {} });
    expect(await installed.run(["workspace", "whoami"], inFolder)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("svc login <url>"),
    });
  });

  it("fails if the user refuses, and for an invalid address", async () => {
    expect(await decide(await member(ws, "device"), false)).toMatchObject({ code: 1, stderr: expect.stringContaining("was refused") });
    expect(await installed.run(["login", "example"], inFolder)).toMatchObject({ code: 2, stdout: "" });
  });
});

describe("svc approvals", () => {
  it("lists, shows, approves and rejects requests that wait for the user", async () => {
    const form = { type: "object", properties: { budget: { type: "string" } }, required: ["budget"] };
    const step = asks("ask", { inputs: ["item"], resume_form: { schema: form } }, "'asked'", { summary: "May we \u001b[31mbuy it?" });
    const [first, second] = await Promise.all([1, 2].map(() => startRun(ws, [step, sees()], { item: "drill" })));
    const ids = await Promise.all([first, second].map(async (run) => (await waiting(ws, run ?? ""))[0]?.gate_id));
    const listed = await checkout.json<{ gate_id: string; summary: string }[]>("approvals", "list");
    expect(listed.map(({ gate_id }) => gate_id).sort()).toEqual([...ids].sort());
    const { stdout } = await checkout.svc("approvals", "list");
    expect(stdout).toMatch(new RegExp(`^${ids[0]} +\\S.* May we +\\[31mbuy it\\? `, "m"));
    const shown = await checkout.svc("approvals", "show", ids[0] ?? "");
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringMatching(/^ {2}item: drill$/m)]);
    expect(await checkout.svc("approvals", "approve", ids[0] ?? "")).toMatchObject({ code: 1, stderr: expect.stringContaining("budget") });
    const approved = await checkout.svc("approvals", "approve", ids[0] ?? "", "--data", '{"budget": "tools"}');
    expect(approved).toMatchObject({ code: 0, stdout: "Approved.\n" });
    expect((await checkout.svc("approvals", "reject", second ?? "", "--reason", "too dear")).stdout).toBe("Rejected.\n");
    expect(await ws.completed(first ?? "")).toMatchObject({ success: true });
    expect(await ws.completed(second ?? "")).toMatchObject({ result: { error: { reason: "too dear" } } });
    expect((await checkout.svc("approvals", "list")).stdout).toBe("No request waits for your decision.\n");
  });
});

describe("svc user", () => {
  it("lists members of the workspace, and adds and removes users of the instance", async () => {
    const user = await member(ws, "listed", "operator");
    expect(await checkout.json("user", "list")).toContainEqual(expect.objectContaining({ username: user.username, operator: true }));
    expect((await checkout.svc("user", "list")).stdout).toMatch(new RegExp(`^${user.username} +${user.email} +operator$`, "m"));
    const email = `added-${ws.id}@example.com`;
    expect(await checkout.svc("user", "add", email, "--name", "Added")).toEqual({
      code: 0,
      stdout: "",
      stderr: expect.stringMatching(/^Target: .*\nThe user .* was created.\n$/),
    });
    expect(await checkout.json("user", "list", "--all")).toContainEqual(expect.objectContaining({ email, name: "Added" }));
    expect(await checkout.svc("user", "remove", email)).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
    expect(await checkout.svc("user", "remove", email, "--yes")).toMatchObject({ code: 0 });
    expect(await checkout.json("user", "list", "--all")).not.toContainEqual(expect.objectContaining({ email }));
  });

  it("shows the refusal of the service to a user without the right", async () => {
    const { api: client } = await member(ws, "guest");
    const other = newCheckout(cli, ws.id, { token: client.token });
    const { code, stdout, stderr } = await other.svc("user", "add", "x@example.com");
    expect([code, stdout, stderr]).toEqual([1, "", expect.stringContaining("users.createGlobal")]);
  });
});

describe("svc audit", () => {
  it("lists the newest operations that fit, at most as many as requested", async () => {
    for (const name of ["one", "two", "three"])
      expectStatus(await ws.post("variables/create", { path: `f/t/${name}`, value: "v", is_secret: false, description: "" }), 201);
    const list = (...args: string[]) => checkout.json<{ operation: string; resource: string }[]>("audit", "list", ...args);
    const created = await list("--operation", "variables.create");
    expect(created.map(({ resource }) => resource)).toEqual(["f/t/three", "f/t/two", "f/t/one"]);
    expect(await list("--operation", "variables.create", "--limit", "2")).toEqual(created.slice(0, 2));
    expect(await list("--resource", "f/t/two")).toHaveLength(1);
    expect(await list("--before", "2020-01-01")).toEqual([]);
    expect((await checkout.svc("audit", "list", "--limit", "1")).stdout).toMatch(/^TIME +USERNAME +OPERATION +RESOURCE\n\S+ +\S+ +\S+/);
    expect(await checkout.svc("audit", "list", "--after", "yesterday")).toMatchObject({ code: 2, stdout: "" });
    expect(await checkout.svc("audit", "list", "--limit", "0")).toMatchObject({ code: 2, stdout: "" });
  });

  it("verifies the record of approvals, and exits with 2 where it may not be read", async () => {
    expect(await checkout.svc("audit", "verify")).toMatchObject({ code: 0, stdout: expect.stringContaining("The record is intact.") });
    const { api: client } = await member(ws, "reader");
    expect(await newCheckout(cli, ws.id, { token: client.token }).svc("audit", "verify")).toMatchObject({ code: 2, stdout: "" });
  });
});

describe("svc doctor", () => {
  it("reports each check, and exits with 0 if all succeed", async () => {
    // The bundler is found next to the installed package.
    const { code, stdout, stderr } = await newCheckout(installed, ws.id).svc("doctor");
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr.split("\n").map((line) => line.split(":")[0])).toEqual([
      ...["svc", "Node.js", "profiles", "service", "token", "workspace", "files", "bundler"].map((check) => `ok      ${check}`),
      "",
    ]);
  });

  it("names the fault and the remedy", async () => {
    const other = newCheckout(cli, ws.id, { token: "wrong" });
    other.write({ "f/t/a.script.yaml": "summary: [\n" });
    expect(
      await cli.run(["login", api().url, "--with-token", "--workspace", ws.id], { cwd: other.folder, stdin: shared().token }),
    ).toMatchObject({ code: 0 });
    chmodSync(join(cli.folder, "config/profiles.json"), 0o644);
    const { code, stdout } = await other.svc("doctor", "--json");
    const findings = JSON.parse(stdout) as { check: string; problem?: string }[];
    const problems = Object.fromEntries(findings.flatMap(({ check, problem }) => (problem === undefined ? [] : [[check, problem]])));
    expect([code, problems]).toEqual([
      1,
      {
        profiles: expect.stringContaining("chmod 600"),
        token: expect.stringContaining("svc login"),
        workspace: expect.stringContaining("svc login"),
        files: expect.stringContaining("svc lint"),
      },
    ]);
  });
});

describe("svc script, flow and app", () => {
  it.each([
    ["script", ["f/t/greet.script.yaml", "f/t/greet.ts"], /^export async function main\(name: string\)/],
    ["flow", ["f/t/greet.flow/flow.yaml", "f/t/greet.flow/greet.inline_script.ts"], /^summary: New\n.*value:/s],
    ["app", ["f/t/greet.app/app.yaml"], /^summary: New\n.*value:/s],
  ])("a new %s is written, pushed and shown", async (kind, files, shown) => {
    const { code, stdout, stderr } = await checkout.svc(kind, "new", "f/t/greet", "--summary", "New");
    expect([code, stdout.trim().split("\n").sort(), stderr]).toEqual([0, files, "Next: svc sync push\n"]);
    expect(await checkout.svc(kind, "new", "f/t/greet")).toMatchObject({ code: 2, stderr: expect.stringContaining("exists already") });
    expect(await checkout.svc(kind, "push", files[0] ?? "")).toMatchObject({ code: 0, stdout: "" });
    expect((await checkout.svc(kind, "show", "f/t/greet")).stdout).toMatch(shown);
    expect(await checkout.json(kind, "show", "f/t/greet")).toMatchObject({ path: "f/t/greet", summary: "New" });
    expect(await checkout.svc(kind, "show", "f/t/none")).toMatchObject({ code: 1, stdout: "" });
  });

  it("writes a script of another language, and nothing outside of the workspace's folders", async () => {
    expect(await checkout.json("script", "new", "u/admin/hello", "-l", "python3")).toEqual([
      "u/admin/hello.py",
      "u/admin/hello.script.yaml",
    ]);
    expect(checkout.read("u/admin/hello.script.yaml")).toMatch(/name:\n\s+type: string/);
    for (const path of ["hello", "f/t/../../x", "f/t/a:b"]) {
      expect(await checkout.svc("script", "new", path)).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining(`${path} is not a path`),
      });
    }
    expect(await checkout.svc("script", "new", "f/t/x", "-l", "cobol")).toMatchObject({ code: 2, stdout: "" });
  });

  it("writes and checks files without a service", async () => {
    const cwd = newCheckout(cli, ws.id).folder;
    expect(await cli.run(["flow", "new", "f/t/alone"], { cwd })).toMatchObject({ code: 0 });
    expect(await cli.run(["lint"], { cwd })).toMatchObject({ code: 0, stderr: "No problems were found.\n" });
  });
});

describe("svc dependencies and settings", () => {
  const listed = async () =>
    ((await ws.get("workspace_dependencies/list")).json as { name?: string; language: string; archived: boolean }[])
      .filter(({ archived }) => !archived)
      .map(({ name, language }) => `${language} ${name ?? ""}`.trim())
      .sort();

  it("pushes the lists of package versions, or one of them, and nothing else", async () => {
    const other = newCheckout(cli, ws.id);
    other.write({
      "dependencies/package.json": '{"dependencies": {"left-pad": "1.3.0"}}\n',
      "dependencies/next.requirements.in": "idna==3.7\n",
      "f/t/unrelated.sh": "echo\n",
    });
    expect(await other.svc("dependencies", "push", "dependencies/package.json")).toMatchObject({ code: 0, stdout: "" });
    expect(await listed()).toEqual(["bun"]);
    expect(await other.svc("dependencies", "push")).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
    expect(await other.svc("dependencies", "push", "--yes")).toMatchObject({ code: 0 });
    expect(await listed()).toEqual(["bun", "python3 next"]);
    expect((await ws.get("scripts/exists/p/f/t/unrelated")).json).toBe(false);
    expect(await other.svc("dependencies", "push", "f/t/unrelated.sh")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("f/t/unrelated.sh is not a list of package versions"),
    });
    other.remove("dependencies/next.requirements.in");
    expect((await other.json<{ changes: unknown[] }>("dependencies", "push", "--dry-run")).changes).toMatchObject([{ type: "delete" }]);
  });

  it("pulls the settings to a file, and pushes them with their changes alone", async () => {
    const other = newCheckout(cli, ws.id);
    expect(await other.svc("settings", "pull", "--yes")).toMatchObject({ code: 0 });
    const text = other.read("settings.yaml") ?? "";
    expect(text).toContain(`name: ${ws.id}`);
    expect(await other.json("settings", "push", "--dry-run")).toEqual({ changes: [] });
    other.write({ "settings.yaml": `${text}color: '#123456'\n` });
    expect(await other.svc("settings", "push", "--yes")).toMatchObject({ code: 0 });
    expect((await ws.get("workspaces/get_settings")).json).toMatchObject({ color: "#123456" });
    expect(other.read("f/t/folder.meta.yaml")).toBeUndefined();
  });
});
