import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { defined } from "../../../contract/defined.ts";
import { newFlowSchema } from "../../../contract/routes/flows/flows.ts";
import { flowBodyObject, flowHeadObject, flowHistoryObject, flowListingObject, flowVersionObject } from "../../../core/flows/version.ts";
import { expectToSurviveFaults } from "../../../test/support/use-cases/failing-writes.ts";
import type { World } from "../../../test/support/use-cases/world.ts";
import { eventsOf } from "../../../test/support/use-cases/world-events.ts";
import { listJobs } from "../../../test/support/use-cases/world-jobs.ts";
import { newWorldWithFolder, repeat } from "../../../test/support/use-cases/world-objects.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { changeAcl, getAcl } from "../../workspaces/acls.ts";
import { deleteFlow, setFlowArchived } from "./archive.ts";
import { flowObjectKey, loadFlow, parseFlow } from "./load.ts";
import { saveFlow } from "./save.ts";

let world: World;
beforeAll(async () => {
  world = await newWorldWithFolder();
});

const newPath = () => `f/t/${randomUUID()}`;
const caller = () => ({ actor: anAdmin, workspace: world.workspace });
/** Arguments in flows that are stored in one item, and in S3. */
const texts: [string, string][] = [
  ["a small", "s"],
  ["a large", "l".repeat(120_000)],
];
const aStep = (text: string) => ({
  id: "a",
  value: { type: "script", path: "f/t/any", input_transforms: { x: { type: "static", value: text } } },
});
const save = (path: string, text: string, at?: string) => {
  // A version's number is derived from the clock.
  world.clock.nowMs += 1;
  return saveFlow(
    world.deps,
    { ...caller(), ...defined({ at }) },
    newFlowSchema.parse({ path, summary: "", value: { modules: [aStep(text)] } }),
  );
};
/** The text with which a version was saved. */
const textOf = async (version: number) => {
  const [step] = (await loadFlow(world.deps, world.workspace, version)).sent.value.modules;
  return (step as ReturnType<typeof aStep> | undefined)?.value.input_transforms.x.value;
};

async function load(path: string) {
  const { objects } = world.deps;
  const [stored, listing, history] = await Promise.all([
    objects.get(flowHeadObject.key(world.workspace, path)),
    objects.get(flowListingObject.key(world.workspace, path)),
    objects.list(flowHistoryObject.partitionKey(world.workspace, path)),
  ]);
  const builds = (await listJobs(world, path)).filter(({ kind }) => kind === "flowdependencies");
  return { head: parseFlow(stored), listing, versions: history.map(({ value }) => (value as { version: number }).version), builds };
}

/** The flow has these versions, the last of which runs; each has its content and one job that builds it. */
async function expectVersions(path: string, texts: string[], built = texts.length): Promise<void> {
  const { head, listing, versions, builds } = await load(path);
  expect(versions).toHaveLength(texts.length);
  expect(head).toMatchObject({ path, version: versions.at(-1), archived: false, build: { state: "pending" } });
  expect(listing?.value).toMatchObject({ version: head?.version, archived: false });
  const sent = await Promise.all(versions.map(textOf));
  expect(sent).toEqual(texts);
  expect(builds.map(({ state }) => state)).toEqual(Array.from({ length: built }, () => "queued"));
}

it("a flow names the concurrency key of another folder only if its author may write there", async () => {
  const rights = {
    workspace: world.workspace,
    role: "developer" as const,
    groups: [],
    folders: { t: "write" as const, shared: "read" as const },
    objects: {},
  };
  const actor = { ...anAdmin, superAdmin: false, rights };
  const saveWith = (concurrency_key: string) =>
    saveFlow(
      world.deps,
      { actor, workspace: world.workspace },
      newFlowSchema.parse({ path: newPath(), summary: "", value: { modules: [], concurrent_limit: 1, concurrency_key } }),
    );
  const path = await saveWith("stripe");
  expect((await load(path)).head?.concurrency).toEqual({ limit: 1, key: "stripe", space: "f/t" });
  await expect(saveWith("f/shared/stripe")).rejects.toMatchObject({ code: "auth.forbidden" });
  await expect(saveWith("f/hidden/stripe")).rejects.toMatchObject({ code: "path.noFolder" });
});

describe("saveFlow, whichever of its writes fails,", () => {
  it.each(texts)("saves %s flow once, or returns that the path is taken", async (_, text) => {
    await expectToSurviveFaults(async () => {
      const path = newPath();
      const act = () => save(path, text);
      return {
        act,
        recover: () => repeat(act, ["flow.pathTaken"]),
        check: async () => {
          await expectVersions(path, [text]);
          expect(await eventsOf(world, path)).toEqual(["CreateFlow"]);
        },
      };
    });
  });

  it("renames a flow once, with its extra permissions, or returns that it is not found", async () => {
    await expectToSurviveFaults(async () => {
      const [from, to] = [newPath(), newPath()];
      await save(from, "s");
      await changeAcl(world.deps, anAdmin, { workspace: world.workspace, kind: "flow", path: from }, { owner: "u/bob", right: true });
      const act = () => save(to, "renamed", from);
      return {
        act,
        recover: () => repeat(act, ["flow.notFound", "flow.pathTaken"]),
        check: async () => {
          await expectVersions(to, ["renamed"]);
          expect(await load(from)).toMatchObject({ head: undefined, listing: undefined });
          const acl = (path: string) => getAcl(world.deps, { workspace: world.workspace, kind: "flow", path });
          expect([await acl(from), await acl(to)]).toEqual([{}, { "u/bob": true }]);
          expect(await eventsOf(world, to)).toEqual(["UpdateFlow"]);
        },
      };
    });
  });
});

describe("saveFlow", () => {
  it("refuses a form whose pattern cannot run in linear time, and names its step and place", async () => {
    const schema = { type: "object", properties: { code: { type: "string", pattern: "^(?=.*x)y" } } };
    const modules = [{ id: "ask", value: { type: "identity" }, suspend: { required_events: 1, resume_form: { schema } } }];
    const request = newFlowSchema.parse({ path: newPath(), summary: "", value: { modules } });
    await expect(saveFlow(world.deps, caller(), request)).rejects.toMatchObject({
      code: "body.shape",
      details: {
        issues: [{ path: "the step ask", reason: expect.stringMatching(/the pattern at properties\.code\.pattern contains a look-ahead/) }],
      },
    });
  });
});

describe("setFlowArchived and deleteFlow, whichever of their writes fails,", () => {
  it("archive a flow once", async () => {
    await expectToSurviveFaults(async () => {
      const path = newPath();
      await save(path, "s");
      const act = () => setFlowArchived(world.deps, { ...caller(), path }, true);
      return {
        act,
        recover: act,
        check: async () => {
          const { head, listing } = await load(path);
          expect([head?.archived, listing?.value]).toEqual([true, expect.objectContaining({ archived: true })]);
          expect(await eventsOf(world, path)).toEqual(["CreateFlow", "ArchiveFlow"]);
        },
      };
    });
  });

  it("delete a flow with all its versions when the call is repeated, with one event", async () => {
    await expectToSurviveFaults(async () => {
      const path = newPath();
      await save(path, texts[1]?.[1] ?? "");
      const { versions } = await load(path);
      const act = () => deleteFlow(world.deps, { ...caller(), path });
      return {
        act,
        recover: act,
        check: async () => {
          expect(await load(path)).toMatchObject({ head: undefined, listing: undefined, versions: [] });
          for (const version of versions) {
            expect(await world.deps.objects.get(flowVersionObject.key(world.workspace, version))).toBeUndefined();
            expect(await world.deps.objects.get(flowBodyObject.key(world.workspace, version))).toBeUndefined();
            expect(await world.deps.storage.getObjectEtag(flowObjectKey(world.workspace, version))).toBeUndefined();
          }
          expect(await eventsOf(world, path)).toEqual(["CreateFlow", "DeleteFlow"]);
        },
      };
    });
  });
});

describe("at once", () => {
  it("after two saves over one flow one of them is the newest version, and every version that was returned exists", async () => {
    const path = newPath();
    await save(path, "1");
    const both = await Promise.allSettled(["2", "3"].map((text) => save(path, text, path)));
    const won = both.flatMap(({ status }, index) => (status === "fulfilled" ? [String(index + 2)] : []));
    for (const answer of both) if (answer.status === "rejected") expect(answer.reason).toMatchObject({ code: "flow.changedMeanwhile" });
    const { head, versions } = await load(path);
    expect(versions).toHaveLength(1 + won.length);
    expect(won).toContain(await textOf(head?.version ?? 0));
  });

  it("a save and a deletion leave the complete saved flow or no flow", async () => {
    for (let round = 0; round < 6; round += 1) {
      const path = newPath();
      await save(path, "1");
      const [saved] = await Promise.allSettled([save(path, "2", path), deleteFlow(world.deps, { ...caller(), path })]);
      const { head, listing } = await load(path);
      expect(head === undefined).toBe(listing === undefined);
      if (head) {
        expect(saved.status).toBe("fulfilled");
        expect(await textOf(head.version)).toBe("2");
      }
    }
  });
});

it("the inputs of a flow are checked with its schema if the flow has validate_input, which needs a schema", async () => {
  const schema = { type: "object", properties: { net: { type: "number" } } };
  const send = (fields: object) => {
    world.clock.nowMs += 1;
    const path = newPath();
    return saveFlow(world.deps, caller(), newFlowSchema.parse({ path, summary: "", value: { modules: [] }, ...fields }));
  };
  expect((await load(await send({ schema, validate_input: true }))).head?.inputSchema).toEqual(schema);
  expect((await load(await send({ schema }))).head?.inputSchema).toBeUndefined();
  const issues = [{ path: "validate_input", reason: expect.stringContaining("has no effect without a schema") }];
  await expect(send({ validate_input: true })).rejects.toMatchObject({ code: "body.shape", details: { issues } });
});
