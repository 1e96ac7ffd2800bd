import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { type Checkout, newCheckout } from "../../support/cli/checkout.ts";
import { cliHere } from "../../support/cli/cli-here.ts";
import type { Cli } from "../../support/cli/installed-cli.ts";

let cli: Cli;
let ws: Workspace;
let checkout: Checkout;
beforeAll(async () => {
  cli = cliHere();
  ws = await newWorkspace();
  checkout = newCheckout(cli, ws.id, { config: "includeTriggers: true\n" });
});
afterAll(() => cli?.remove());

const push = async (...args: string[]) => {
  const { code, stderr } = await checkout.svc("sync", "push", "--yes", ...args);
  expect([code, code === 0 ? "" : stderr]).toEqual([0, ""]);
};
const bash = (name: string, content: string) => ({
  [`${name}.sh`]: content,
  [`${name}.script.yaml`]: "summary: ''\ndescription: ''\nlock: ''\n",
});
const route = (name: string, address: string) => ({
  [`f/t/${name}.http_trigger.yaml`]: `script_path: f/t/target\nis_flow: false\nhttp_method: get\nroute_path: ${ws.id}/${address}\n`,
});
/** Gives a route of the checkout another address. */
const move = (name: string, from: string, to: string) => {
  const file = `f/t/${name}.http_trigger.yaml`;
  checkout.write({ [file]: (checkout.read(file) ?? "").replace(`${ws.id}/${from}`, `${ws.id}/${to}`) });
};
const addressOf = async (name: string) =>
  ((await ws.get(`http_triggers/get/f/t/${name}`)).json as { route_path: string } | undefined)?.route_path.replace(`${ws.id}/`, "");

describe("svc", () => {
  it("swaps and moves the addresses of routes in one push", async () => {
    expect(await checkout.svc("sync", "pull", "--yes")).toMatchObject({ code: 0 });
    checkout.write({ ...bash("f/t/target", "echo hello\n"), ...route("one", "a"), ...route("two", "b"), ...route("three", "c") });
    await push();
    expect(await checkout.svc("sync", "pull", "--yes", "--force")).toMatchObject({ code: 0 });
    move("one", "a", "b");
    move("two", "b", "a");
    checkout.write({ "f/t/four.http_trigger.yaml": checkout.read("f/t/three.http_trigger.yaml") ?? "" });
    checkout.remove("f/t/three.http_trigger.yaml");
    await push();
    expect(await Promise.all(["one", "two", "three", "four"].map(addressOf))).toEqual(["b", "a", undefined, "c"]);
  });

  it("restores a folder with all its contents", async () => {
    const files: Record<string, string> = {
      "f/gone/folder.meta.yaml": "summary: Gone\ndisplay_name: gone\nowners: []\nextra_perms: {}\n",
      "f/gone/name.variable.yaml": "value: v\nis_secret: false\ndescription: ''\n",
      ...bash("f/gone/script", "echo gone\n"),
    };
    checkout.write(files);
    await push();
    for (const file of Object.keys(files)) checkout.remove(file);
    await push("--prune-secrets");
    expect((await ws.get("folders/exists/gone")).json).toBe(false);
    expect(await checkout.svc("sync", "undo", "--yes")).toMatchObject({ code: 0 });
    expect((await ws.get("folders/get/gone")).json).toMatchObject({ summary: "Gone" });
    expect((await ws.get("variables/get_value/f/gone/name")).json).toBe("v");
    expect((await ws.get("scripts/get/p/f/gone/script")).json).toMatchObject({ content: "echo gone\n", archived: false });
  });

  it("sets a secret from standard input, and changes it", async () => {
    for (const value of ["first", " second "]) {
      expect(await checkout.svcWith(`${value}\n`, "variable", "set", "f/t/secret")).toMatchObject({ code: 0, stdout: "" });
      expect((await ws.get("variables/get_value/f/t/secret")).json).toBe(value);
    }
    expect((await ws.get("variables/get/f/t/secret?decrypt_secret=false")).json).toMatchObject({ is_secret: true });
  });

  it("rolls a script back to an earlier version", async () => {
    checkout.write(bash("f/t/target", "echo changed\n"));
    await push();
    const [, first] = (await ws.get("scripts/history/p/f/t/target")).json as { script_hash: string }[];
    expect(await checkout.svc("script", "rollback", "f/t/target", first?.script_hash ?? "", "--yes")).toMatchObject({ code: 0 });
    expect((await ws.get("scripts/get/p/f/t/target")).json).toMatchObject({ content: "echo hello\n" });
    expect(await checkout.svc("script", "rollback", "f/t/other", first?.script_hash ?? "", "--yes")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("The script f/t/other has no version"),
    });
  });

  it("lists runs with the reason of a failure, and prints the logs of a flow's steps", async () => {
    const step = (id: string, content: string) =>
      `    - id: ${id}\n      value:\n        type: rawscript\n        language: bash\n        input_transforms: {}\n        content: "${content}"\n`;
    checkout.write({
      "f/t/steps.flow/flow.yaml": `summary: ''\nvalue:\n  modules:\n${step("a", "echo from a")}${step("b", "echo from b; exit 3")}`,
    });
    await push();
    const history = async () => (await ws.get("flows/history/p/f/t/steps")).json as { id: number }[];
    const [version] = await history();
    expect(await checkout.svc("flow", "run", "f/t/steps")).toMatchObject({ code: 1 });
    const listed = (await checkout.svc("job", "list", "--path", "f/t/steps")).stdout;
    expect(listed).toMatch(/ failure .* flow +f\/t\/steps +\S.*3/);
    const [job] = await checkout.json<{ id: string }[]>("job", "list", "--path", "f/t/steps");
    expect((await checkout.svc("job", "logs", job?.id ?? "")).stdout).toMatch(/^a \| .*from a$[\s\S]*^b \| .*from b$/m);
    expect((await checkout.svc("job", "list")).stdout).not.toContain("dependencies");

    checkout.write({ "f/t/steps.flow/flow.yaml": `summary: ''\nvalue:\n  modules:\n${step("a", "echo other")}` });
    await push();
    expect(await checkout.svc("flow", "rollback", "f/t/steps", String(version?.id), "--yes")).toMatchObject({ code: 0 });
    expect((await ws.get("flows/get/f/t/steps")).json).toMatchObject({ value: { modules: [{ id: "a" }, { id: "b" }] } });
  });
});
