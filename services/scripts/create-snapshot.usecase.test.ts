import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bundlePreviewSchema } from "../../contract/routes/jobs/runs.ts";
import { newScriptSchema } from "../../contract/routes/stored/script.ts";
import type { BuildRequest } from "../../core/builds/build.ts";
import { hasEnded, type Job } from "../../core/jobs/record/job.ts";
import type { Person } from "../../core/people/actor.ts";
import { scriptHeadObject, scriptLockObject } from "../../core/scripts/version.ts";
import { aTar } from "../../test/builders/tar.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { passLease, work } from "../../test/support/use-cases/world-jobs.ts";
import { newWorldWithFolder } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/world-people.ts";
import { previewBundleKey } from "../builds/preview-bundle.ts";
import { buildBundlePreviewRequest } from "../execution/requests/preview-request.ts";
import { startRun } from "../execution/requests/start-run.ts";
import { eraseJob } from "../jobs/erasure/erase-job.ts";
import { loadJson } from "../jobs/values/values.ts";
import { deleteScriptVersion } from "./archive.ts";
import { createScript, updateScript } from "./create.ts";
import { createSnapshot } from "./create-snapshot.ts";
import { bundleObjectKey, loadScriptVersion, parseScript } from "./load.ts";
import { hashSource } from "./temp-sources.ts";

let world: World;
let built: BuildRequest[];
beforeAll(async () => {
  world = await newWorldWithFolder();
});
beforeEach(async () => {
  // The builds of an earlier test.
  await work(world);
  built = [];
  world.answers.build = async (request) => {
    built.push(request);
    return { ok: true, lock: "", sha256: "0".repeat(64), bytes: 1, log: "" };
  };
});

const content = 'import { lib } from "../../lib";\nexport const main = () => lib();';
const aBundle = () => `exports.main = () => "${randomUUID()}";`;
const newPath = () => `f/t/${randomUUID()}`;
const caller = (actor: Person = anAdmin) => ({ actor, workspace: world.workspace });
const aScript = (path: string, more: object = {}) => newScriptSchema.parse({ path, language: "bun", content, summary: "", ...more });
const save = (bundle: string | Buffer, script: ReturnType<typeof aScript>, actor?: Person) =>
  createSnapshot(world.deps, caller(actor), script, Buffer.from(bundle));
const load = (hash: string) => loadScriptVersion(world.deps, world.workspace, hash);
const stored = async (bundle: string | Buffer) =>
  (await world.deps.storage.getObject(bundleObjectKey(world.workspace, hashSource(bundle.toString())), 10_000))?.valueOf() as
    | { bytes: Buffer }
    | undefined;
const headAt = async (path: string) => parseScript(await world.deps.objects.get(scriptHeadObject.key(world.workspace, path)));

describe("a script that is saved with a bundle", () => {
  it("is built from the bundle alone, and keeps its digest and lock", async () => {
    const bundle = aBundle();
    const path = newPath();
    const hash = await save(bundle, aScript(path, { codebase: "digest", lock: "a lock" }));
    await work(world);
    expect(built).toMatchObject([{ language: "bun", files: {}, bundle: { sha256: hashSource(bundle), tar: false } }]);
    expect(await fetch(built[0]?.bundleUrl ?? "").then((answer) => answer.text())).toBe(bundle);
    expect((await load(hash)).sent).toMatchObject({ content, codebase: "digest", lock: "a lock" });
    expect((await world.deps.objects.get(scriptLockObject.key(world.workspace, hash)))?.value).toEqual({ lock: "a lock" });
    expect((await headAt(path))?.build).toMatchObject({ state: "ready" });
  });

  it("shares the artefact of an equal bundle", async () => {
    const bundle = aBundle();
    for (const path of [newPath(), newPath()]) await save(bundle, aScript(path));
    await work(world);
    expect(built).toHaveLength(1);
  });

  it.each([
    ["digest", { tar: false }],
    ["digest.esm", { tar: false, format: "esm" }],
    ["digest.tar", { tar: true }],
    ["digest.esm.tar", { tar: true, format: "esm" }],
  ])("has the kind that the end of its digest names: %s", async (codebase, expected) => {
    const hash = await save(expected.tar ? aTar([{ path: "main.js", content: aBundle() }]) : aBundle(), aScript(newPath(), { codebase }));
    const { bundle } = await load(hash);
    expect(bundle).toEqual({ ...expected, sha256: bundle?.sha256 });
  });

  it("has the hash of the bundle as its digest if none is sent", async () => {
    const bundle = aBundle();
    expect((await load(await save(bundle, aScript(newPath())))).sent.codebase).toBe(hashSource(bundle));
  });

  it("keeps the bundle in a version with the same source and digest, and in no other", async () => {
    const path = newPath();
    await save(aBundle(), aScript(path, { codebase: "digest" }));
    const same = await updateScript(world.deps, { ...caller(), path }, aScript(path, { codebase: "digest", summary: "new" }));
    expect((await load(same)).bundle).toBeDefined();
    const other = await updateScript(world.deps, { ...caller(), path }, aScript(path, { codebase: "other" }));
    expect((await load(other)).bundle).toBeUndefined();
    const again = await updateScript(world.deps, { ...caller(), path }, aScript(path, { codebase: "digest" }));
    expect((await load(again)).bundle).toBeUndefined();
    const elsewhere = await createScript(world.deps, caller(), aScript(newPath(), { codebase: "digest" }));
    expect((await load(elsewhere)).bundle).toBeUndefined();
  });

  it("needs the bundle again in a version that runs as another user, unless the digest is that of the bundle", async () => {
    const bob = { ...aReader(world.workspace, []), rights: { ...rightsOfBob(), folders: { t: "write" as const } } };
    const [bundle, as] = [aBundle(), (email: string) => ({ on_behalf_of_email: email })];
    const path = newPath();
    await save(bundle, aScript(path, { codebase: "digest", ...as(bob.email) }), bob);
    const claimed = aScript(path, { codebase: "digest", ...as(anAdmin.email) });
    const refused = { code: "identity.fieldsMissing", details: { permissionedAs: "u/ann", fields: ["file"] } };
    await expect(updateScript(world.deps, { ...caller(), path }, claimed)).rejects.toMatchObject(refused);
    const own = await save(bundle, { ...claimed, auto_parent: true });
    expect((await load(own)).bundle).toBeDefined();
    const again = await updateScript(world.deps, { ...caller(), path }, { ...claimed, summary: "new" });
    expect((await load(again)).bundle).toBeDefined();
    const named = newPath();
    await save(bundle, aScript(named, as(bob.email)), bob);
    const checked = await updateScript(
      world.deps,
      { ...caller(), path: named },
      aScript(named, { codebase: hashSource(bundle), ...as(anAdmin.email) }),
    );
    expect((await load(checked)).bundle).toBeDefined();
  });
  const rightsOfBob = () => ({ workspace: world.workspace, role: "developer" as const, groups: [], objects: {} });

  it("has no bundle after its content was erased", async () => {
    const path = newPath();
    const hash = await save(aBundle(), aScript(path));
    await deleteScriptVersion(world.deps, { ...caller(), action: { name: "test", access: deleteAccess } }, hash);
    expect((await load(hash)).bundle).toBeUndefined();
  });
  const deleteAccess = { domain: "scripts", verb: "write", need: "write", target: "version", hiddenAs: "script.versionNotFound" } as const;

  it("is refused in other languages, with a hostile archive, and at a path where the caller may not save; nothing is stored", async () => {
    const bundle = aBundle();
    for (const language of ["deno", "python3", "bash", "php"])
      await expect(save(bundle, aScript(newPath(), { language }))).rejects.toMatchObject({ code: "bundle.language" });
    await expect(save(bundle, aScript("f/none/x"), aReader(world.workspace, ["t"]))).rejects.toMatchObject({ code: "path.noFolder" });
    await expect(save(bundle, aScript(newPath()), aReader(world.workspace, ["t"]))).rejects.toMatchObject({ code: "auth.forbidden" });
    const hostile = aTar([{ path: "main.js" }, { path: "../x" }]);
    await expect(save(hostile, aScript(newPath(), { codebase: "x.tar" }))).rejects.toMatchObject({ code: "bundle.invalid" });
    await expect(save(bundle, aScript(newPath(), { codebase: "x.tar" }))).rejects.toMatchObject({ code: "bundle.invalid" });
    expect(await stored(bundle)).toBeUndefined();
  });

  it("is saved once, whichever write fails", async () => {
    await expectToSurviveFaults(async () => {
      const [bundle, path] = [aBundle(), newPath()];
      const act = () => save(bundle, aScript(path));
      return {
        act,
        recover: () => act().catch((error: unknown) => expect(error).toMatchObject({ code: "script.pathTaken" })),
        check: async () => {
          expect((await stored(bundle))?.bytes.toString()).toBe(bundle);
          expect((await headAt(path))?.path).toBe(path);
        },
      };
    });
  });
});

describe("a preview of a bundle", () => {
  const request = (bundle: string | Buffer, more: object = {}, key?: string) =>
    buildBundlePreviewRequest(world.deps, {
      ...caller(),
      query: {},
      headers: key === undefined ? {} : { "idempotency-key": key },
      body: bundlePreviewSchema.parse({ kind: "bundle", format: "cjs", language: "bun", content, path: "f/t/preview", ...more }),
      bytes: Buffer.from(bundle),
    });
  const jobOf = async (id: string): Promise<Job> => {
    const job = await world.deps.jobs.get(id);
    if (!job) throw new Error(`The job ${id} is gone.`);
    return job;
  };

  it("runs the bundle, which is erased with the job", async () => {
    const bundle = aBundle();
    const { id } = await startRun(world.deps, await request(bundle));
    await work(world);
    expect(built).toMatchObject([{ bundle: { sha256: hashSource(bundle), tar: false, format: "cjs" } }]);
    expect(await fetch(built[0]?.bundleUrl ?? "").then((answer) => answer.text())).toBe(bundle);
    const job = await jobOf(id);
    if (!hasEnded(job)) throw new Error(`The job is ${job.state}.`);
    expect([job.state, job.path, await loadJson(world.deps, job, job.result)]).toEqual(["succeeded", "f/t/preview", 1]);
    await eraseJob(world.deps, job);
    expect(await world.deps.storage.getObject(previewBundleKey(job, hashSource(bundle)), 10_000)).toBeUndefined();
  });

  it("is refused in other languages and with a hostile archive", async () => {
    await expect(request(aBundle(), { language: "deno" })).rejects.toMatchObject({ code: "bundle.language" });
    await expect(request(aBundle(), { kind: "tarbundle" })).rejects.toMatchObject({ code: "bundle.invalid" });
  });

  it("does not replace the bundle of another job whose id it names", async () => {
    const bundle = aBundle();
    const { id } = await startRun(world.deps, await request(bundle));
    const other = await request(aBundle());
    await expect(startRun(world.deps, { ...other, job: { ...other.job, id } })).rejects.toMatchObject({ code: "job.idTaken" });
    await work(world);
    expect(await fetch(built[0]?.bundleUrl ?? "").then((answer) => answer.text())).toBe(bundle);
  });

  it("runs once for an Idempotency-Key, whichever write fails", async () => {
    await expectToSurviveFaults(async () => {
      const made = await request(aBundle(), {}, randomUUID());
      const ids: string[] = [];
      const start = async () => void ids.push((await startRun(world.deps, made)).id);
      return {
        act: start,
        recover: start,
        check: async () => {
          await work(world);
          await passLease(world);
          const jobs = await Promise.all([...new Set(ids)].map(jobOf));
          expect(jobs.map(({ state }) => state)).toEqual(["succeeded"]);
        },
      };
    });
  });
});
