import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { api } from "../../support/api/api.ts";
import { newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { cliHere } from "../../support/cli/cli-here.ts";
import type { Cli } from "../../support/cli/installed-cli.ts";
import { writeFiles } from "../../support/cli/write-files.ts";

let cli: Cli;
let ws: Workspace;
let folder: string;
beforeAll(async () => {
  cli = cliHere();
  ws = await newWorkspace();
  folder = cli.newFolder();
  write("svc.yaml", "{}\n");
});
afterAll(() => cli?.remove());

const write = (file: string, text: string) => writeFiles(folder, { [file]: text });
const svc = (...args: string[]) =>
  cli.run(args, { cwd: folder, env: { SVC_URL: api().url, SVC_TOKEN: api().token, SVC_WORKSPACE: ws.id } });
const requestsOf = ({ stderr }: { stderr: string }) => stderr.split("\n").filter((line) => /^(GET|POST|DELETE) \//.test(line));
const data = async (...args: string[]) => {
  const { code, stdout, stderr } = await svc(...args, "--json");
  expect([code, stderr.replace(/^Target: .*\n/, "")]).toEqual([0, ""]);
  return JSON.parse(stdout) as unknown;
};

describe("single objects", () => {
  it.each([
    ["variable", "f/t/name", "f/t/name.variable.yaml", "value: v\nis_secret: false\n"],
    ["resource", "f/t/db", "f/t/db.resource.yaml", "resource_type: any\nvalue: {host: h}\n"],
    ["script", "f/t/hello", "f/t/hello.sh", "echo hello\n"],
    ["flow", "f/t/flow", "f/t/flow.flow/flow.yaml", "summary: Empty\nvalue: {modules: []}\n"],
    ["app", "f/t/app", "f/t/app.app/app.yaml", "summary: App\nvalue: {grid: []}\npolicy: {execution_mode: viewer}\n"],
    [
      "schedule",
      "f/t/daily",
      "f/t/daily.schedule.yaml",
      "schedule: 0 0 0 * * *\ntimezone: UTC\nscript_path: f/t/hello\nis_flow: false\nargs: {}\nenabled: false\n",
    ],
    ["resource-type", "own", "own.resource-type.yaml", "description: Own\nschema: {type: object}\n"],
    ["folder", "other", "f/other/folder.meta.yaml", "summary: Other\nowners: []\nextra_perms: {}\n"],
  ])("a %s is pushed from its file, listed and read", async (kind, path, file, text) => {
    write(file, text);
    // A push reads one object and saves it. Resources also need the types that have files, and schedules their state.
    const pushed = await svc(kind, "push", file, "--verbose");
    expect(pushed).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("was saved") });
    expect(requestsOf(pushed).length).toBeLessThanOrEqual(4);
    const again = await svc(kind, "push", file, "--verbose");
    expect(again).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("is the same already") });
    expect(requestsOf(again).length).toBeLessThanOrEqual(2);
    expect([...requestsOf(pushed), ...requestsOf(again)].join()).not.toContain("tarball");
    const listed = (await data(kind, "list")) as { path?: string; name?: string }[];
    expect(listed.map((one) => one.path ?? one.name)).toContain(path);
    expect(await data(kind, "get", path)).toMatchObject(kind === "folder" || kind === "resource-type" ? { name: path } : { path });
  });

  it.each([
    ["group", "team", "groups/team.group.yaml", "summary: Team\nadmins: []\nmembers: []\n"],
    [
      "trigger",
      "f/t/route",
      "f/t/route.http_trigger.yaml",
      "route_path: orders\nhttp_method: post\nworkspaced_route: true\nmode: disabled\nscript_path: f/t/hello\nis_flow: false\n",
    ],
  ])("a %s is pushed from its file, listed, read and deleted", async (kind, name, file, text) => {
    const names = async () => ((await data(kind, "list")) as { path?: string; name?: string }[]).map((one) => one.path ?? one.name);
    write(file, text);
    expect(await svc(kind, "push", file)).toMatchObject({ code: 0, stdout: "" });
    expect(await names()).toContain(name);
    expect(await data(kind, "get", name)).toMatchObject(kind === "group" ? { name } : { path: name });
    expect(await svc(kind, "delete", name, "--yes")).toMatchObject({ code: 0 });
    expect(await names()).not.toContain(name);
  });

  it("shows the value of a secret only on request", async () => {
    await ws.post("variables/create", { path: "f/t/secret", value: "hush", is_secret: true, description: "" });
    expect(await data("variable", "get", "f/t/secret")).not.toHaveProperty("value");
    expect(await data("variable", "get", "f/t/secret", "--show-secret")).toMatchObject({ value: "hush" });
  });

  it("turns a schedule on and off, and lists the versions of a script", async () => {
    expect(await svc("schedule", "enable", "f/t/daily")).toMatchObject({ code: 0 });
    expect(await data("schedule", "get", "f/t/daily")).toMatchObject({ enabled: true });
    expect(await svc("schedule", "disable", "f/t/daily")).toMatchObject({ code: 0 });
    expect(await data("script", "history", "f/t/hello")).toHaveLength(1);
  });

  it("deletes only after a confirmation", async () => {
    expect(await svc("variable", "delete", "f/t/name")).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
    expect(await svc("variable", "delete", "f/t/name", "--yes")).toMatchObject({ code: 0 });
    expect(await svc("variable", "delete", "f/t/name", "--yes")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("There is no variable"),
    });
    expect(await svc("script", "archive", "f/t/hello", "--yes")).toMatchObject({ code: 0 });
    expect((await ws.get("scripts/exists/p/f/t/hello")).json).toBe(false);
  });

  it("creates, lists and deletes a token", async () => {
    const { token } = (await data("token", "create", "--label", "cli test", "--expires-in", "1", "--read-only")) as { token: string };
    const prefix = token.slice(0, 10);
    expect(await data("token", "list")).toContainEqual(
      expect.objectContaining({ token_prefix: prefix, label: "cli test", read_only: true }),
    );
    expect(await svc("token", "delete", prefix)).toMatchObject({ code: 0 });
  });
});
