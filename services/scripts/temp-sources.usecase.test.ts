import { randomBytes, randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { dependenciesSchema, flowDependenciesSchema } from "../../contract/routes/jobs/dependency-runs.ts";
import type { BuildRequest } from "../../core/builds/build.ts";
import { hasEnded } from "../../core/jobs/record/job.ts";
import { folderObject } from "../../core/workspaces/workspace.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { addWorkspace, work } from "../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { buildDependenciesRequest, buildFlowDependenciesRequest } from "../execution/requests/dependency-request.ts";
import { buildFlowPreviewRequest, buildPreviewRequest } from "../execution/requests/preview-request.ts";
import type { RunCall } from "../execution/requests/run-request.ts";
import { startRun } from "../execution/requests/start-run.ts";
import { loadJson } from "../jobs/values/values.ts";
import { saveDependencies } from "../workspaces/dependencies.ts";
import { archiveScript } from "./archive.ts";
import { createScript } from "./create.ts";
import { diffSources } from "./diff-sources.ts";
import { hashSource, loadTempSource, storeTempSource } from "./temp-sources.ts";

let world: World;
let other: World;
let built: BuildRequest[] = [];
beforeAll(async () => {
  world = await newWorld();
  other = { ...world, workspace: `w-${randomUUID().slice(0, 8)}` };
  for (const one of [world, other]) {
    await addWorkspace(one);
    for (const name of ["t", "secret"]) await one.deps.objects.put({ ...folderObject.key(one.workspace, name), value: {} });
  }
  world.answers.build = async (request) => {
    built.push(request);
    return { ok: true, lock: "a lock", sha256: "0".repeat(64), bytes: 1, log: "" };
  };
});

const store = (source: string, workspace = world.workspace) => storeTempSource(world.deps, workspace, source);
const load = (hash: string, workspace = world.workspace) => loadTempSource(world.deps, workspace, hash);
const save = (path: string, content: string) =>
  createScript(
    world.deps,
    { actor: anAdmin, workspace: world.workspace },
    { path, summary: "", description: "", language: "bun", content },
  );

describe("a temporary source", () => {
  it.each([
    ["empty", ""],
    ["short", "export const main = () => 'ä';"],
    ["as large as a script may be, and random", randomBytes(limits.scriptBytes / 2).toString("hex")],
  ])("is found by its hash in its own workspace: %s", async (_, source) => {
    const hash = await store(source);
    expect(hash).toBe(hashSource(source));
    expect(await load(hash)).toBe(source);
    expect(await load(hash, other.workspace)).toBeUndefined();
  });

  it("may not be larger than a script", async () => {
    await expect(store("x".repeat(limits.scriptBytes + 1))).rejects.toMatchObject({ code: "script.tooLarge" });
  });

  it("belongs to a workspace that exists", async () => {
    await expect(store("", "w-none")).rejects.toMatchObject({ code: "workspace.notFound" });
  });

  it("expires after a day", async () => {
    const yesterday = () => Date.now() - limits.tempScriptMs - 1000;
    const source = randomBytes(300_000).toString("hex");
    const hash = await storeTempSource({ ...world.deps, nowMs: yesterday }, world.workspace, source);
    expect(await load(hash)).toBeUndefined();
    // The same source again is stored for another day.
    await store(source);
    expect(await load(hash)).toBe(source);
  });

  it("is stored whole or not at all, whichever write fails", async () => {
    await expectToSurviveFaults(async () => {
      const source = randomBytes(300_000).toString("hex");
      const act = () => store(source);
      return {
        act: async () => {
          await act().catch(async (error: unknown) => {
            expect([undefined, source]).toContain(await load(hashSource(source)));
            throw error;
          });
        },
        recover: act,
        check: async () => expect(await load(hashSource(source))).toBe(source),
      };
    });
  });
});

describe("a build with temporary sources", () => {
  const call = { actor: anAdmin, query: {}, headers: {} };
  const source = () => `import "./temp";\nexport const main = () => "${randomUUID()}";`;
  const requests: Record<string, (temp_script_refs: Record<string, string>) => Promise<RunCall>> = {
    "a preview": (temp_script_refs) =>
      buildPreviewRequest(world.deps, {
        ...call,
        workspace: world.workspace,
        body: { content: source(), language: "bun", path: "f/t/entry", temp_script_refs },
      }),
    "a preview of a flow": (temp_script_refs) =>
      buildFlowPreviewRequest(world.deps, {
        ...call,
        workspace: world.workspace,
        body: { value: flowOf(source()), path: "f/t/flow", temp_script_refs: withFlowPath(temp_script_refs) },
      }),
    "a job that resolves packages": (temp_script_refs) =>
      buildDependenciesRequest(world.deps, {
        ...call,
        workspace: world.workspace,
        body: dependenciesSchema.parse({ raw_scripts: [{ raw_code: source(), language: "bun", path: "f/t/entry" }], temp_script_refs }),
      }),
    "a job that resolves the packages of a flow": (temp_script_refs) =>
      buildFlowDependenciesRequest(world.deps, {
        ...call,
        workspace: world.workspace,
        body: flowDependenciesSchema.parse({
          path: "f/t/flow",
          flow_value: flowOf(source()),
          temp_script_refs: withFlowPath(temp_script_refs),
        }),
      }),
  };
  const flowOf = (content: string) =>
    flowDependenciesSchema.shape.flow_value.parse({
      modules: [{ id: "a", value: { type: "rawscript", language: "bun", content, input_transforms: {} } }],
    });
  /** An inline script is a file in the folder of its flow. */
  const withFlowPath = (refs: Record<string, string>) =>
    Object.fromEntries(Object.entries(refs).map(([path, hash]) => [path.replace("f/t/", "f/t/flow/"), hash]));

  async function run(request: RunCall) {
    built = [];
    const { id } = await startRun(world.deps, request);
    await work(world);
    const job = await world.deps.jobs.get(id);
    const result = job && hasEnded(job) ? await loadJson(world.deps, job, job.result) : undefined;
    return { files: Object.values(built.at(-1)?.files ?? {}), result };
  }

  it.each(Object.keys(requests))("imports them in place of stored scripts: %s", async (kind) => {
    await save(`f/t/temp`, "export const stored = 1;").catch(() => undefined);
    const temp = `export const temp = "${kind}";`;
    const { files } = await run(await (requests[kind] as (typeof requests)[string])({ "f/t/temp": await store(temp) }));
    expect(files).toContain(temp);
    expect(files).not.toContain("export const stored = 1;");
  });

  it.each(Object.keys(requests))("fails if one is not stored in the workspace: %s", async (kind) => {
    const elsewhere = await store(`export const of = "${randomUUID()}";`, other.workspace);
    const { files, result } = await run(await (requests[kind] as (typeof requests)[string])({ "f/t/temp": elsewhere }));
    expect(files).toEqual([]);
    expect(result).toMatchObject({ error: { name: "DependencyError", message: expect.stringContaining("store it again") } });
  });
});

describe("the comparison of sources", () => {
  const diff = (scripts: Record<string, string>, isReadable: (path: string) => boolean = () => true) =>
    diffSources(world.deps, world.workspace, { scripts }, isReadable);

  it("names the scripts that have another source, do not exist, are archived, or cannot be read", async () => {
    const content = "export const main = () => 1;";
    for (const name of ["t/equal", "t/changed", "t/archived", "secret/equal"]) await save(`f/${name}`, content);
    await archiveScript(world.deps, { actor: anAdmin, workspace: world.workspace, path: "f/t/archived" });
    const hash = hashSource(content);
    const scripts = {
      "f/t/equal": hash,
      "f/t/changed": hashSource("other"),
      "f/t/archived": hash,
      "f/t/none": hash,
      "f/secret/equal": hash,
    };
    expect(await diff(scripts)).toEqual(["f/t/changed", "f/t/archived", "f/t/none"]);
    expect(await diff(scripts, (path) => !path.startsWith("f/secret/"))).toEqual([
      "f/t/changed",
      "f/t/archived",
      "f/t/none",
      "f/secret/equal",
    ]);
    expect(await diff({})).toEqual([]);
  });

  it("names the lists of package versions that are different", async () => {
    const content = '{"dependencies":{}}';
    await saveDependencies(world.deps, world.workspace, { language: "bun", content, name: "equal" });
    const hash = hashSource(content);
    const workspace_deps = [
      { path: "dependencies/equal.package.json", language: "bun", name: "equal", hash },
      { path: "dependencies/changed.package.json", language: "bun", name: "equal", hash: hashSource("other") },
      { path: "dependencies/package.json", language: "bun", hash },
      { path: "dependencies/composer.json", language: "php", hash },
    ];
    expect(await diffSources(world.deps, world.workspace, { scripts: {}, workspace_deps }, () => true)).toEqual([
      "dependencies/changed.package.json",
      "dependencies/package.json",
      "dependencies/composer.json",
    ]);
  });
});
