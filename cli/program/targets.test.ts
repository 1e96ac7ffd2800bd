// esbuild starts its process in the folder in which it was loaded, so it must be loaded before a test changes the current folder.
import "esbuild";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import type { Command } from "commander";
import { zipSync } from "fflate";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { capturePrinted, type Printed } from "../../test/support/cli/printed.ts";
import { effectOf } from "./action.ts";
import { createProgram } from "./program.ts";

/** A service that records requests, and answers each so that most commands continue. */
interface RecordedService {
  url: string;
  requests: string[];
  /** Whether the target was named, for each request that changes something. */
  namedBefore: boolean[];
  close(): void;
}

let printed: Printed;
let folder = "";
/** Whether the services answer like a captive portal: each request with a page and 200. */
let isPortal = false;
/** Whether the services answer with an archive without items, so that plans are made. */
let hasArchive = false;
let services: { a: RecordedService; b: RecordedService };

/** Routes that a command calls with POST only to read. */
const READING = /\/(workspaces\/exists|raw_temp\/diff)$/;

async function startService(): Promise<RecordedService> {
  const service = { requests: [] as string[], namedBefore: [] as boolean[] };
  const server = http.createServer((request, response) => {
    const path = request.url?.split("?", 1)[0] ?? "";
    service.requests.push(`${request.method} ${path}`);
    if (request.method !== "GET" && !READING.test(path)) service.namedBefore.push(printed.stderr.includes("Target: workspace"));
    request.resume();
    // Types of resources are the first request of `svc dev`, which otherwise waits for an interrupt.
    if (isPortal) {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end("<!doctype html><title>Sign in</title>");
      return;
    }
    if (hasArchive && path.endsWith("/tarball")) {
      response.end(zipSync({}));
      return;
    }
    response.statusCode = path.includes("/resources/type/list") ? 403 : 200;
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify(/list|queue|users$/.test(path) ? [] : { completed: true, success: true, username: "ann", job_kind: "script" }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { ...service, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

/** The leaves of the program: the commands that do something. */
const listLeaves = (command: Command, path: string[] = []): { path: string[]; command: Command }[] =>
  command.commands.length === 0 ? [{ path, command }] : command.commands.flatMap((inner) => listLeaves(inner, [...path, inner.name()]));

const leaves = listLeaves(createProgram());

/** Files of the project, by the name of the command whose argument they are. */
const files: Record<string, string> = {
  script: "f/t/a.sh",
  flow: "f/t/a.flow/flow.yaml",
  app: "f/t/a.app/app.yaml",
  variable: "f/t/a.variable.yaml",
  resource: "f/t/a.resource.yaml",
  "resource-type": "a.resource-type.yaml",
  folder: "f/t/folder.meta.yaml",
  group: "groups/a.group.yaml",
  schedule: "f/t/a.schedule.yaml",
  trigger: "f/t/a.http_trigger.yaml",
  dependencies: "dependencies/package.json",
};
const contents: Record<string, string> = {
  "f/t/a.sh": "echo a\n",
  "f/t/a.script.yaml": "summary: ''\n",
  "f/t/a.flow/flow.yaml": "summary: ''\nvalue:\n  modules: []\n",
  "f/t/a.app/app.yaml": "summary: ''\nvalue: {}\npolicy:\n  execution_mode: viewer\n",
  "f/t/a.variable.yaml": "value: v\nis_secret: false\ndescription: ''\n",
  "f/t/a.resource.yaml": "resource_type: any\nvalue: {}\n",
  "a.resource-type.yaml": "schema: {}\ndescription: ''\n",
  "f/t/folder.meta.yaml": "summary: ''\ndisplay_name: a\nowners: []\nextra_perms: {}\n",
  "groups/a.group.yaml": "summary: ''\nadmins: []\nmembers: []\n",
  "f/t/a.schedule.yaml": "schedule: 0 0 * * * *\ntimezone: UTC\nscript_path: f/t/a\nis_flow: false\nargs: {}\nenabled: true\n",
  "f/t/a.http_trigger.yaml": "route_path: a\nscript_path: f/t/a\nis_flow: false\nhttp_method: get\n",
  "dependencies/package.json": "{}\n",
  "earlier/backup.json": JSON.stringify({
    ...{ format: "svc-backup", version: 1, created_at: "2026-01-01T00:00:00.000Z", url: "http://127.0.0.1" },
    ...{ users: [], instance_groups: [], settings: [], workspaces: [], left_out: [] },
  }),
};

/** Returns arguments with which a command begins its work. */
function argumentsOf({ path, command }: (typeof leaves)[number]): string[] {
  return command.registeredArguments
    .filter(({ required }) => required)
    .map((argument) => {
      if (argument.argChoices) return argument.argChoices[0] as string;
      if (argument.name() === "file" || argument.name() === "folder") return files[path[0] as string] as string;
      return { path: "f/t/a", backup: "earlier" }[argument.name()] ?? "a";
    });
}

/** Executes a command in the folder. Its outcome is irrelevant, because the service is a stand-in. */
async function execute(leaf: (typeof leaves)[number], ...flags: string[]): Promise<string> {
  try {
    await createProgram().parseAsync(["node", "svc", ...leaf.path, ...argumentsOf(leaf), ...flags]);
    return "";
  } catch (error) {
    return String(error);
  }
}

beforeAll(async () => {
  services = { a: await startService(), b: await startService() };
});
afterAll(() => {
  services.a.close();
  services.b.close();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-targets-"));
  for (const [file, text] of Object.entries(contents)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  writeFileSync(join(folder, "svc.yaml"), "{}\n");
  const profiles = {
    active: "here",
    profiles: {
      here: { url: services.a.url, workspace: "here", token: "of a", device: true },
      there: { url: services.b.url, workspace: "there", token: "of b", device: true },
    },
  };
  writeFileSync(join(folder, "profiles.json"), JSON.stringify(profiles));
  vi.stubEnv("SVC_CONFIG_DIR", folder);
  for (const name of ["SVC_URL", "SVC_TOKEN", "SVC_WORKSPACE"]) vi.stubEnv(name, "");
  vi.spyOn(process, "cwd").mockReturnValue(folder);
  vi.spyOn(process, "stdin", "get").mockReturnValue(Readable.from(["value\n"]) as unknown as typeof process.stdin);
  printed = capturePrinted();
  for (const { requests, namedBefore } of [services.a, services.b]) {
    requests.length = 0;
    namedBefore.length = 0;
  }
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = undefined;
});

const configured = () =>
  `skipBranchValidation: true\nworkspaces:\n  entry: { baseUrl: "${services.b.url}", workspaceId: there, gitBranch: "*" }\n`;

/** Each method of choosing a target, and the resulting target. */
const ways: [name: string, choose: () => string[]][] = [
  ["the flag", () => ["--workspace", "there"]],
  [
    "the flag with the name of a workspace of svc.yaml",
    () => {
      writeFileSync(join(folder, "svc.yaml"), configured());
      vi.stubEnv("SVC_WORKSPACE", "ignored");
      return ["--workspace", "entry"];
    },
  ],
  [
    "the variable",
    () => {
      vi.stubEnv("SVC_WORKSPACE", "there");
      return [];
    },
  ],
  [
    "the variable with the name of a workspace of svc.yaml",
    () => {
      writeFileSync(join(folder, "svc.yaml"), configured());
      vi.stubEnv("SVC_WORKSPACE", "entry");
      return [];
    },
  ],
  [
    "svc.yaml",
    () => {
      mkdirSync(join(folder, ".git"));
      for (const part of ["objects", "refs"]) mkdirSync(join(folder, ".git", part));
      writeFileSync(join(folder, ".git/HEAD"), "ref: refs/heads/main\n");
      writeFileSync(join(folder, "svc.yaml"), configured().replace('"*"', "main"));
      return [];
    },
  ],
];

const calling = leaves.filter(({ command }) => effectOf(command) !== "local");
/** Tests every command with the target of svc.yaml, and one command of each sort with each other method. */
const sorts = new Set(["sync push", "variable delete", "script list", "token create", "workspace whoami", "logout", "script preview"]);
/** These call nothing, because nothing is stale and nothing was pushed. */
const calm = new Set(["generate-metadata", "sync undo"]);
const cases = ways.flatMap(([way, choose]) =>
  calling.map((leaf) => ({ leaf, name: leaf.path.join(" "), way, choose })).filter(({ name }) => way === "svc.yaml" || sorts.has(name)),
);

describe("svc", () => {
  it.each(cases)("$name calls the target that $way chooses, and names it before a change", async ({ leaf, name, choose }) => {
    await execute(leaf, "--yes", ...choose());
    const { requests, namedBefore } = services.b;
    expect(services.a.requests).toEqual([]);
    if (!calm.has(name)) expect(requests).not.toEqual([]);
    for (const request of requests) expect(request).toMatch(/ \/api\/(w\/there\/|(?!w\/))/);
    expect(namedBefore).not.toContain(false);
    const isNamed = printed.stderr.includes(`Target: workspace there at ${services.b.url}`);
    expect(isNamed).toBe(effectOf(leaf.command) === "change" && name !== "sync undo");
  });
});

it.each(calling.map((leaf) => [leaf.path.join(" "), leaf] as const))("svc %s names its target before it asks", async (_, leaf) => {
  const refusal = await execute(leaf);
  // Without a terminal, a question is refused.
  if (refusal.includes("Add --yes")) expect(printed.stderr).toContain(`Target: workspace here at ${services.a.url} (profile here)`);
  else expect(printed.stderr).not.toContain("?");
});

it.each(calling.filter(({ path }) => !calm.has(path.join(" "))).map((leaf) => [leaf.path.join(" "), leaf] as const))(
  "svc %s explains a page that a proxy returns with 200",
  async (_, leaf) => {
    isPortal = true;
    const error = await execute(leaf, "--yes").finally(() => {
      isPortal = false;
    });
    expect(`${error}${printed.stderr}`).toContain("answers with a web page (200): a proxy stands between");
    expect(printed.stderr).not.toMatch(/^\s+at /m);
  },
);

it("classifies each command", () => {
  expect(leaves.filter(({ command }) => effectOf(command) === undefined)).toEqual([]);
});

it.each(
  leaves
    .filter(({ command }) => effectOf(command) === "local" && command.name() !== "login")
    .map((leaf) => [leaf.path.join(" "), leaf] as const),
)("svc %s, which names no target, changes nothing at a service", async (_, leaf) => {
  vi.stubEnv("SVC_CONFIG_DIR", folder);
  await execute(leaf);
  expect([...services.a.namedBefore, ...services.b.namedBefore]).toEqual([]);
});

describe("a program of the repository that bundles a script", () => {
  beforeEach(() => {
    hasArchive = true;
    const codebase = "{ relative_path: f/t, includes: [b.ts], customBundler: bundler.cjs }";
    const bundler = `require("node:fs").writeFileSync("ran", Object.keys(process.env).join(" ")); process.stdout.write("bundle");`;
    const more = { "svc.yaml": `codebases: [${codebase}]\n`, "bundler.cjs": bundler, "f/t/b.ts": "export const main = () => 1;\n" };
    for (const [file, text] of Object.entries(more)) writeFileSync(join(folder, file), text);
  });
  afterEach(() => {
    hasArchive = false;
  });
  const hasRun = () => existsSync(join(folder, "ran"));
  const svc = (...args: string[]) => createProgram().parseAsync(["node", "svc", ...args]);
  const bundling = [
    ["lint", "--bundle"],
    ["sync", "plan", "--bundle"],
    ["sync", "push", "--dry-run", "--bundle"],
    ["sync", "push"],
    ["script", "preview", "f/t/b.ts"],
    ["script", "push", "f/t/b.ts"],
  ];

  it.each(leaves.map((leaf) => [leaf.path.join(" "), leaf] as const))("is not run by svc %s unless it pushes", async (name, leaf) => {
    await execute(leaf, "--yes");
    expect(hasRun()).toBe(name === "sync push");
  });

  it.each([
    ["sync", "push", "--dry-run", "--yes"],
    ["sync", "pull", "--dry-run", "--yes"],
    ["script", "push", "f/t/a.sh", "--yes"],
  ])("is not run by svc %s %s %s", async (...args) => {
    await svc(...args).catch(() => undefined);
    expect(hasRun()).toBe(false);
  });

  it.each(bundling)("is run by svc %s %s if --yes is passed, and sees no variable of svc", async (...args) => {
    vi.stubEnv("SVC_SECRET_OF_TEST", "hush");
    await svc(...args, "--yes").catch(() => undefined);
    const names = readFileSync(join(folder, "ran"), "utf8").split(" ");
    expect(names).toContain("PATH");
    expect(names.filter((name) => name.startsWith("SVC_"))).toEqual([]);
  });

  it.each(bundling)("is not run by svc %s %s without a terminal or --yes", async (...args) => {
    await expect(svc(...args)).rejects.toThrow(
      "Run the program bundler.cjs of this repository, which bundles f/t? It can do whatever you can do. Add --yes",
    );
    expect(hasRun()).toBe(false);
  });

  it("is needed for a plan in a file", async () => {
    await expect(svc("sync", "plan", "-o", join(folder, "plan.json"))).rejects.toThrow("Add --bundle to make them.");
  });
});
