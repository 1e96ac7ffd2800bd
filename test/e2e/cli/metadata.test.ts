import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { type Checkout, newCheckout } from "../../support/cli/checkout.ts";
import { cliHere } from "../../support/cli/cli-here.ts";
import type { Cli } from "../../support/cli/installed-cli.ts";

let cli: Cli;
beforeAll(async () => {
  cli = cliHere();
});
afterAll(() => cli?.remove());

interface Stale {
  stale: { kind: string; path: string; reasons: string[] }[];
}
interface Outcome {
  generated: { path: string; files: string[] }[];
  failed: { path: string; error: string; log: string }[];
}

const listStale = async (checkout: Checkout) =>
  (await checkout.json<Stale>("generate-metadata", "--dry-run")).stale.map(({ path }) => path).sort();
/** Returns the number of jobs that have resolved packages. */
const countBuilds = async (ws: Workspace) => {
  const query = { job_kinds: "dependencies,flowdependencies", per_page: "100" };
  return ((await ws.get("jobs/completed/list", query)).json as unknown[]).length;
};

/** Returns the recorded hashes of scripts. Those of flows depend on the names of files. */
const hashesOf = (checkout: Checkout) =>
  checkout
    .read("svc-lock.yaml")
    ?.split("\n")
    .filter((line) => !line.includes("+"));

const leftPad = 'import leftPad from "left-pad@1.3.0";\n';
const files = {
  "f/t/npm.ts": `${leftPad}export async function main(text: string, width = 5) { return leftPad(text, width); }\n`,
  "f/t/py.py": "# requirements:\n# idna==3.7\n\nimport idna\n\ndef main(host: str):\n    return idna.encode(host).decode()\n",
  "f/t/even.ts":
    'import { isOdd } from "./odd.ts";\nexport const isEven = (n: number): boolean => n === 0 || isOdd(n - 1);\nexport const main = isEven;\n',
  "f/t/odd.ts": `${leftPad}import { isEven } from "./even.ts";\nexport const isOdd = (n: number): boolean => n !== 0 && isEven(n - 1);\nexport const main = (n: number) => leftPad(String(isOdd(n)), 6);\n`,
  "f/t/before.ts":
    "export const preprocessor = (event: unknown) => ({ text: String(event) });\nexport const main = (text: string) => text;\n",
  "f/t/hello.sh": 'name="$1"\necho "Hello, $name!"\n',
  "f/t/flow.flow/flow.yaml": `summary: Flow
value:
  modules:
    - id: a
      value: {type: rawscript, language: bun, content: '!inline pad.ts', input_transforms: {}}
    - id: b
      value: {type: rawscript, language: bash, content: '!inline say.sh', input_transforms: {}}
    - id: c
      value: {type: rawscript, language: bun, content: '!inline plain.ts', input_transforms: {}}
`,
  "f/t/flow.flow/pad.ts": `${leftPad}import { isOdd } from "../odd.ts";\nexport const main = () => leftPad(String(isOdd(3)), 5);\n`,
  "f/t/flow.flow/say.sh": "echo hello\n",
  "f/t/flow.flow/plain.ts": "export const main = () => 1;\n",
};

describe("svc generate-metadata", () => {
  let ws: Workspace;
  let checkout: Checkout;
  beforeAll(async () => {
    ws = await newWorkspace();
    checkout = newCheckout(cli, ws.id, { config: "parallel: 2\n" });
    checkout.write(files);
  });

  it("lists what is stale, and changes nothing without a confirmation", async () => {
    expect(await listStale(checkout)).toEqual(["f/t/before", "f/t/even", "f/t/flow", "f/t/hello", "f/t/npm", "f/t/odd", "f/t/py"]);
    expect(await checkout.svc("generate-metadata")).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
    expect(checkout.read("f/t/npm.script.yaml")).toBeUndefined();
  });

  it("generates the schemas and locks of scripts and flows, also of scripts that import one another before they are saved", async () => {
    const { code, stdout, stderr } = await checkout.svc("generate-metadata", "--yes");
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^flow f\/t\/flow: generated$/m)]);
    expect(stdout.split("\n")).toEqual(expect.arrayContaining(["f/t/npm.script.lock", "f/t/npm.script.yaml", "f/t/flow.flow/pad.lock"]));
    expect(checkout.read("f/t/npm.script.lock")).toMatch(/left-pad.*1\.3\.0/s);
    expect(checkout.read("f/t/npm.script.yaml")).toMatch(
      /lock: '!inline f\/t\/npm.script.lock'.*width:\n\s+type: number\n\s+default: 5.*required:\n\s+- text\n/s,
    );
    expect(checkout.read("f/t/py.script.lock")).toMatch(/^idna==3\.7\b/m);
    for (const path of ["even", "odd"]) expect(checkout.read(`f/t/${path}.script.lock`)).toContain("left-pad");
    expect(checkout.read("f/t/hello.script.yaml")).toMatch(/lock: ''.*name:/s);
    expect(checkout.read("f/t/flow.flow/pad.lock")).toContain("left-pad");
    expect(checkout.read("f/t/flow.flow/flow.yaml")).toContain("lock: '!inline pad.lock'");
    expect(checkout.read("svc-lock.yaml")).toMatch(/^version: v2\nlocks:\n(\s+f\/t\/[\w.]+(\+[\w.]+)?: [0-9a-f]{64}\n){10}$/);
    expect(checkout.read("f/t/before.script.yaml")).toMatch(/lock: ''.*has_preprocessor: true/s);
    // A bash script has no packages, so it needs no job.
    expect(await countBuilds(ws)).toBe(6);
  });

  it("has nothing to do the second time, and after a push that sends the locks", async () => {
    expect(await checkout.svc("generate-metadata", "--yes")).toMatchObject({ code: 0, stdout: "", stderr: "Nothing is stale.\n" });
    expect(await countBuilds(ws)).toBe(6);
    const push = await checkout.svc("sync", "push", "--yes", "--wait");
    expect([push.code, push.code === 0 ? "" : push.stderr]).toEqual([0, ""]);
    const { lock } = (await ws.get("scripts/get/p/f/t/npm")).json as { lock: string };
    expect(lock).toBe(checkout.read("f/t/npm.script.lock"));
    expect((await ws.runWait("f/t/odd", { n: 3 })).json).toBe("  true");
    expect(await checkout.svc("sync", "plan", "--exit-code")).toMatchObject({ code: 0 });
    expect(await listStale(checkout)).toEqual([]);
  });

  it("generates only what has changed and what imports it, with the fields that an author has added to the schema", async () => {
    const before = await countBuilds(ws);
    const described = checkout
      .read("f/t/npm.script.yaml")
      ?.replace(/text:\n(\s+)type: string/, "text:\n$1type: string\n$1description: The text");
    checkout.write({
      "f/t/npm.script.yaml": described ?? "",
      "f/t/npm.ts": files["f/t/npm.ts"].replace("width = 5", "width = 7, fill = ''"),
    });
    const { generated } = await checkout.json<Outcome>("generate-metadata", "--yes");
    expect(generated).toEqual([{ kind: "script", path: "f/t/npm", files: ["f/t/npm.script.yaml"] }]);
    expect(checkout.read("f/t/npm.script.yaml")).toMatch(/fill:.*description: The text.*default: 7/s);
    expect(await countBuilds(ws)).toBe(before + 1);
    checkout.write({ "f/t/even.ts": files["f/t/even.ts"].replace("n === 0 ||", "n == 0 ||") });
    expect(await listStale(checkout)).toEqual(["f/t/even", "f/t/flow", "f/t/odd"]);
    expect(await checkout.svc("generate-metadata", "f/t/even.ts", "f/t/odd", "--yes")).toMatchObject({ code: 0 });
    expect(await listStale(checkout)).toEqual(["f/t/flow"]);
    expect(await checkout.svc("generate-metadata", "f/none")).toMatchObject({ code: 2, stderr: expect.stringContaining("f/none is not") });
  });

  it("accepts the locks that a pull has written, and a pull records them where hashes are recorded", async () => {
    expect(await checkout.svc("sync", "push", "--yes", "--auto-metadata", "--wait")).toMatchObject({ code: 0 });
    const other = newCheckout(cli, ws.id);
    expect(await other.svc("sync", "pull", "--yes")).toMatchObject({ code: 0 });
    expect(other.read("svc-lock.yaml")).toBeUndefined();
    // The lock of a script without packages is empty, as that of a script that the service has still to build.
    expect(await listStale(other)).toEqual(["f/t/before"]);
    expect(await other.svc("generate-metadata", "--yes")).toMatchObject({ code: 0, stdout: "" });
    expect(hashesOf(other)).toEqual(hashesOf(checkout));

    checkout.write({ "f/t/npm.ts": `${checkout.read("f/t/npm.ts")}// changed\n` });
    expect(await checkout.svc("sync", "push", "--yes", "--auto-metadata")).toMatchObject({ code: 0 });
    expect(await other.svc("sync", "pull", "--yes")).toMatchObject({ code: 0 });
    expect(hashesOf(other)).toEqual(hashesOf(checkout));
    other.write({ "f/t/npm.ts": "export const main = () => 1;\n" });
    const { code, stderr } = await other.svc("sync", "push", "--dry-run");
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining("Warning: f/t/npm.ts: The script or its metadata has changed since its lock"),
    ]);
  });
});

describe("the metadata of a project", () => {
  it("is unchanged if a lock cannot be built, and the others are generated", async () => {
    const ws = await newWorkspace();
    const checkout = newCheckout(cli, ws.id);
    const [bad, good] = ['import "svc-no-such-package-anywhere@1.0.0";\nexport const main = () => 1;\n', files["f/t/npm.ts"]];
    const metadata = "# Mine\nsummary: Bad\nlock: ''\n";
    checkout.write({
      "f/t/bad.ts": bad,
      "f/t/bad.script.yaml": metadata,
      "f/t/good.ts": good,
      "f/t/alone.flow/flow.yaml": files["f/t/flow.flow/flow.yaml"],
    });
    checkout.write({ "f/t/alone.flow/pad.ts": bad, "f/t/alone.flow/say.sh": "echo", "f/t/alone.flow/plain.ts": "export {};" });
    const flow = checkout.read("f/t/alone.flow/flow.yaml");
    const { code, stdout, stderr } = await checkout.svc("generate-metadata", "--yes", "--json");
    expect([code, stderr]).toEqual([1, expect.stringContaining("2 of 3 items could not be generated")]);
    expect(stderr).toContain("svc-no-such-package-anywhere");
    const { generated, failed } = JSON.parse(stdout) as Outcome;
    expect([generated.map(({ path }) => path), failed.map(({ path }) => path).sort()]).toEqual([["f/t/good"], ["f/t/alone", "f/t/bad"]]);
    expect([checkout.read("f/t/bad.script.yaml"), checkout.read("f/t/bad.script.lock")]).toEqual([metadata, undefined]);
    expect([checkout.read("f/t/alone.flow/flow.yaml"), checkout.read("f/t/alone.flow/pad.lock")]).toEqual([flow, undefined]);
    expect(await listStale(checkout)).toEqual(["f/t/alone", "f/t/bad"]);
    const push = await checkout.svc("sync", "push", "--yes", "--auto-metadata");
    expect([push.code, push.stderr]).toEqual([1, expect.stringContaining("Nothing was pushed.")]);
    expect((await ws.get("scripts/list")).json).toEqual([]);
  });

  it("is generated for schemas without a call, and for locks without a change of schemas", async () => {
    const ws = await newWorkspace();
    const checkout = newCheckout(cli, ws.id);
    checkout.write({
      "f/t/npm.ts": files["f/t/npm.ts"],
      "f/t/npm.script.yaml": "summary: ''\nlock: ''\n",
      "f/t/hello.sh": files["f/t/hello.sh"],
    });
    const offline = await checkout.svc("generate-metadata", "--schema-only", "--yes", "--url", "http://127.0.0.1:1");
    expect(offline).toMatchObject({ code: 0 });
    expect(checkout.read("f/t/npm.script.yaml")).toMatch(/lock: ''.*width:/s);
    expect(await listStale(checkout)).toEqual(["f/t/npm"]);
    expect(await checkout.svc("generate-metadata", "--lock-only", "--yes")).toMatchObject({ code: 0 });
    expect(checkout.read("f/t/npm.script.lock")).toContain("left-pad");
    expect(await listStale(checkout)).toEqual([]);
    expect(await checkout.svc("generate-metadata", "--lock-only", "--schema-only")).toMatchObject({ code: 2 });
  });

  it("uses the project's lists of package versions, and is stale when one changes", async () => {
    const ws = await newWorkspace();
    const checkout = newCheckout(cli, ws.id);
    const list = (version: string) => JSON.stringify({ dependencies: { "left-pad": version } });
    checkout.write({
      "f/t/npm.ts": 'import leftPad from "left-pad";\nexport const main = () => leftPad("a", 3);\n',
      "dependencies/package.json": list("1.1.3"),
    });
    expect(await checkout.svc("generate-metadata", "--yes")).toMatchObject({ code: 0 });
    expect(checkout.read("f/t/npm.script.lock")).toContain("1.1.3");
    checkout.write({ "dependencies/package.json": list("1.2.0") });
    expect(await listStale(checkout)).toEqual(["f/t/npm"]);
    expect(await checkout.svc("generate-metadata", "--yes")).toMatchObject({ code: 0 });
    expect(checkout.read("f/t/npm.script.lock")).toContain("1.2.0");
  });

  it("is required before a push with locksRequired, and its file must be readable", async () => {
    const ws = await newWorkspace();
    const checkout = newCheckout(cli, ws.id, { config: "locksRequired: true\n" });
    checkout.write({ "f/t/npm.ts": files["f/t/npm.ts"], "f/t/plain.ts": "export const main = () => 1;\n" });
    const refused = await checkout.svc("sync", "push", "--yes");
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/^f\/t\/npm.ts: The script has no lock.*\nf\/t\/plain.ts: The script has no lock/),
    ]);
    // A script without packages has an empty lock after a generation.
    expect(await checkout.svc("sync", "push", "--yes", "--auto-metadata")).toMatchObject({ code: 0 });
    expect(await checkout.svc("lint")).toMatchObject({ code: 0 });
    checkout.write({ "f/t/npm.ts": `${files["f/t/npm.ts"]}// changed\n` });
    expect(await checkout.svc("lint")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^f\/t\/npm.ts: .* has changed since its lock/),
    });
    expect(await checkout.svc("sync", "push", "--yes")).toMatchObject({ code: 2 });
    checkout.write({ "svc-lock.yaml": "version: v2\nlocks: [\n" });
    for (const args of [["lint"], ["generate-metadata", "--yes"]]) {
      expect(await checkout.svc(...args)).toMatchObject({ code: 2, stderr: expect.stringMatching(/^svc-lock\.yaml:\d+:\d+: .*delete it/) });
    }
  });

  it("stops a push with the property lint if its lock is stale, and is a warning without it", async () => {
    const ws = await newWorkspace();
    const stale = {
      "f/t/npm.ts": files["f/t/npm.ts"],
      "f/t/npm.script.yaml": "summary: ''\ndescription: ''\nlock: '!inline f/t/npm.script.lock'\n",
      "f/t/npm.script.lock": "{}\n",
      "svc-lock.yaml": "version: v2\nlocks:\n  f/t/npm: of another source\n",
    };
    const fault = "f/t/npm.ts: The script or its metadata has changed since its lock was made.";
    for (const [config, code, line] of [
      ["lint: true\n", 2, fault],
      ["lint: false\n", 0, `Warning: ${fault}`],
    ] as const) {
      const checkout = newCheckout(cli, ws.id, { config });
      checkout.write(stale);
      const pushed = await checkout.svc("sync", "push", "--dry-run");
      expect([config, pushed.code, pushed.stderr.startsWith(line)]).toEqual([config, code, true]);
    }
  });
});
