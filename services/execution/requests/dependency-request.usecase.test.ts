import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Dependencies, dependenciesSchema, flowDependenciesSchema } from "../../../contract/routes/jobs/dependency-runs.ts";
import type { BuildRequest } from "../../../core/builds/build.ts";
import { hasEnded } from "../../../core/jobs/record/job.ts";
import type { Person } from "../../../core/people/actor.ts";
import { folderObject } from "../../../core/workspaces/workspace.ts";
import { expectToSurviveFaults } from "../../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../../test/support/use-cases/world.ts";
import { addWorkspace, listJobs, passLease, work } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin, aReader } from "../../../test/support/use-cases/world-people.ts";
import { cancelJob } from "../../jobs/cancel/cancel-job.ts";
import { loadJson, loadLogs } from "../../jobs/values/values.ts";
import { createScript } from "../../scripts/create.ts";
import { buildDependenciesRequest, buildFlowDependenciesRequest } from "./dependency-request.ts";
import { startRun } from "./start-run.ts";

let world: World;
/** The requests that the function `build` received, in order. */
let built: BuildRequest[];
beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
  for (const name of ["t", "secret"]) await world.deps.objects.put({ ...folderObject.key(world.workspace, name), value: {} });
});
beforeEach(() => {
  built = [];
  world.answers.build = async (request) => {
    built.push(request);
    return { ok: true, lock: `lock of ${request.entry}`, sha256: "0".repeat(64), bytes: 1, log: "resolved\n" };
  };
});

/** A source that no other test builds. */
const unique = (imports = "") => `${imports}\nexport const main = () => "${randomUUID()}";`;
const callBy = (actor: Person, headers = {}) => ({ actor, workspace: world.workspace, query: {}, headers });
const requestOf = async (body: unknown, actor: Person = anAdmin, headers = {}) =>
  buildDependenciesRequest(world.deps, { ...callBy(actor, headers), body: dependenciesSchema.parse(body) });
const flowRequestOf = async (body: unknown) =>
  buildFlowDependenciesRequest(world.deps, { ...callBy(anAdmin), body: flowDependenciesSchema.parse(body) });

async function ended(id: string) {
  const job = await world.deps.jobs.get(id);
  if (!job || !hasEnded(job)) throw new Error(`The job is ${job?.state}.`);
  return { job, result: await loadJson(world.deps, job, job.result), log: await loadLogs(world.deps, job) };
}

async function resolve(body: unknown, actor: Person = anAdmin) {
  const { id } = await startRun(world.deps, await requestOf(body, actor));
  await work(world);
  return ended(id);
}

const oneScript = (raw_code: string, more: object = {}): Partial<Dependencies> => ({
  raw_scripts: [{ raw_code, language: "bun", script_path: "f/t/one" }],
  entrypoint: "f/t/one",
  ...more,
});

describe("a job that resolves the packages of a script that is not stored", () => {
  it("has the lock as its result and the build's log, and stores no script", async () => {
    const { job, result, log } = await resolve(oneScript(unique()));
    expect(result).toEqual({ lock: "lock of f/t/one" });
    expect(log).toContain("resolved");
    expect(job).toMatchObject({ kind: "dependencies", state: "succeeded", path: "f/t/one", language: "bun" });
    expect(job.hash).toBeUndefined();
    expect(await listJobs(world, "f/t/one")).toHaveLength(1);
  });

  it("builds equal code once", async () => {
    const code = unique();
    const first = await resolve(oneScript(code));
    expect((await resolve(oneScript(code))).result).toEqual(first.result);
    expect(built).toHaveLength(1);
  });

  it("fails with the fault of the build and its log", async () => {
    world.answers.build = async () => ({ ok: false, error: "There is no package nope.", log: "searching nope\n" });
    const { job, result, log } = await resolve(oneScript(unique()));
    expect(job.state).toBe("failed");
    expect(result).toEqual({ error: { name: "DependencyError", message: "There is no package nope." } });
    expect(log).toContain("searching nope");
  });

  it("fails for a language without a runner", async () => {
    const { result } = await resolve({ raw_scripts: [{ raw_code: "<?php", language: "php" }] });
    expect(result).toMatchObject({ error: { name: "NoRunner" } });
  });

  it("finds the imports of the script first in the sources that are sent, then in the stored ones", async () => {
    const stored = { path: "f/t/stored", summary: "", description: "", language: "bun" as const, content: "export const a = 1;" };
    await createScript(world.deps, { actor: anAdmin, workspace: world.workspace }, stored);
    await createScript(world.deps, { actor: anAdmin, workspace: world.workspace }, { ...stored, path: "f/t/both" });
    const entry = unique('import "./stored"; import "./both"; import "./sent";');
    await resolve({
      raw_scripts: [
        { raw_code: "export const sent = 1;", language: "bun", path: "f/t/sent" },
        { raw_code: "export const newer = 2;", language: "bun", path: "f/t/both" },
        { raw_code: entry, language: "bun", path: "f/t/entry" },
      ],
      entrypoint: "f/t/entry",
    });
    expect(built.at(-1)).toMatchObject({
      entry: "f/t/entry",
      files: {
        "f/t/entry": entry,
        "f/t/stored": stored.content,
        "f/t/both": "export const newer = 2;",
        "f/t/sent": "export const sent = 1;",
      },
    });
  });

  it("imports no script that its user may not read, and has no path at which its user may not save", async () => {
    const secret = { path: "f/secret/one", summary: "", description: "", language: "bun" as const, content: "export const secret = 1;" };
    await createScript(world.deps, { actor: anAdmin, workspace: world.workspace }, secret);
    const reader = aReader(world.workspace, ["t"]);
    const { job } = await resolve(oneScript(unique('import "/f/secret/one";')), reader);
    expect(Object.keys(built.at(-1)?.files ?? {})).toEqual(["f/t/one"]);
    expect(job).toMatchObject({ email: reader.email, permissionedAs: "u/bob" });
    expect(job.path).toBeUndefined();
  });

  it("uses the lists of package versions that are sent", async () => {
    const files = {
      "dependencies/package.json": '{"dependencies":{"zod":"3"}}',
      "dependencies/next.package.json": '{"dependencies":{"zod":"4"}}',
    };
    await resolve(oneScript(unique('import "zod";'), { raw_workspace_dependencies: files }));
    expect(built.at(-1)).toMatchObject({ dependencies: { entries: { zod: "3" }, all: false } });
    await resolve(oneScript(unique('// package_json: next\nimport "zod";'), { raw_workspace_dependencies: files }));
    expect(built.at(-1)).toMatchObject({ dependencies: { entries: { zod: "4" }, all: true } });
    const { result } = await resolve(oneScript(unique(), { raw_workspace_dependencies: { "package.json": "{" } }));
    expect(result).toMatchObject({ error: { name: "DependencyError", message: expect.stringContaining("package.json") } });
  });

  it("can be canceled before it starts", async () => {
    const { id } = await startRun(world.deps, await requestOf(oneScript(unique())));
    const job = await world.deps.jobs.get(id);
    if (!job) throw new Error("The job is gone.");
    await cancelJob(world.deps, job, { by: "ann", reason: "" });
    await work(world);
    expect((await ended(id)).job.state).toBe("canceled");
    expect(built).toHaveLength(0);
  });

  it("ends once, whichever write fails, and a repeated call with an Idempotency-Key starts no other job", async () => {
    await expectToSurviveFaults(async () => {
      const request = await requestOf(oneScript(unique()), anAdmin, { "idempotency-key": randomUUID() });
      const ids: string[] = [];
      const start = async () => void ids.push((await startRun(world.deps, request)).id);
      return {
        act: async () => {
          await start();
          await work(world);
        },
        recover: start,
        check: async () => {
          await work(world);
          await passLease(world);
          expect(new Set(ids).size).toBe(1);
          expect((await ended(ids[0] ?? "")).result).toEqual({ lock: "lock of f/t/one" });
        },
      };
    });
  });
});

describe("the request", () => {
  it.each([
    ["no script", { raw_scripts: [] }],
    [
      "several scripts without the name of one",
      {
        raw_scripts: [
          { raw_code: "", language: "bun", path: "f/t/a" },
          { raw_code: "", language: "bun", path: "f/t/b" },
        ],
      },
    ],
    ["a language that does not exist", { raw_scripts: [{ raw_code: "", language: "cobol" }] }],
    ["a list of package versions that is too long", oneScript("", { raw_workspace_dependencies: { "package.json": "x".repeat(200_000) } })],
  ])("is refused with %s", (_, body) => {
    expect(dependenciesSchema.safeParse(body).success).toBe(false);
  });
});

describe("a job that resolves the packages of a flow that is not stored", () => {
  const inline = (id: string, more: object = {}) => ({
    id,
    value: { type: "rawscript", language: "bun", content: unique(), input_transforms: {}, ...more },
  });

  it("returns the flow with the lock of each inline script without one, and otherwise as it was sent", async () => {
    const [a, b, failure] = [
      inline("a", { unknown_field: { type: "rawscript" } }),
      inline("b", { lock: "an own lock" }),
      inline("failure"),
    ];
    const others = [{ id: "s", value: { type: "script", path: "f/t/none" } }, inline("php", { language: "php" })];
    const flowOf = (one: object, two: object, three: object) => ({
      modules: [one, { id: "l", value: { type: "branchall", branches: [{ modules: [two] }] } }, ...others],
      failure_module: three,
      extra: 1,
    });
    const locked = ({ id, value }: typeof a) => ({ id, value: { ...value, lock: `lock of f/t/flow/${id}` } });
    const { id } = await startRun(world.deps, await flowRequestOf({ path: "f/t/flow", flow_value: flowOf(a, b, failure) }));
    await work(world);
    const { job, result } = await ended(id);
    expect(result).toEqual({ updated_flow_value: flowOf(locked(a), b, locked(failure)) });
    expect(job).toMatchObject({ kind: "flowdependencies", path: "f/t/flow" });
    expect(built.find(({ entry }) => entry === "f/t/flow/b")?.lock).toBe("an own lock");
  });

  it("fails with the fault of each inline script", async () => {
    world.answers.build = async () => ({ ok: false, error: "There is no package nope.", log: "searching nope\n" });
    const { id } = await startRun(world.deps, await flowRequestOf({ path: "f/t/flow", flow_value: { modules: [inline("a")] } }));
    await work(world);
    const { result, log } = await ended(id);
    expect(result).toEqual({ error: { name: "DependencyError", message: "a: There is no package nope." } });
    expect(log).toContain("searching nope");
  });
});
