import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { shareRoutes as routes } from "../../contract/routes/jobs/shares.ts";
import { hasEnded, type Job } from "../../core/jobs/record/job.ts";
import type { Actor, Person } from "../../core/people/actor.ts";
import { may } from "../../core/permissions/may.ts";
import { sharesObject } from "../../core/shares/share.ts";
import { runFlowInCloud } from "../../test/support/use-cases/aws/cloud.ts";
import { echo } from "../../test/support/use-cases/cases/flow-modules.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { type FlowWorld, newFlowWorld } from "../../test/support/use-cases/world-flows.ts";
import { addJob } from "../../test/support/use-cases/world-jobs.ts";
import { repeat } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/world-people.ts";
import { cancelJob } from "../jobs/cancel/cancel-job.ts";
import { eraseJob } from "../jobs/erasure/erase-job.ts";
import { addMember } from "../workspaces/add-member.ts";
import { removeMember } from "../workspaces/members.ts";
import { loadSharedRun } from "./shared-run.ts";
import { listShares, revokeShare, shareJob } from "./shares.ts";

let world: FlowWorld;
beforeAll(async () => {
  world = await newFlowWorld();
});

const jobOf = async (id: string): Promise<Job> => (await world.deps.jobs.get(id)) ?? expect.fail(`There is no job ${id}.`);
const addRun = async (args: object = { x: 1 }, fields: Partial<Parameters<typeof addJob>[1]> = {}) => {
  const job = await addJob(world, { id: randomUUID(), kind: "script", args: { in: "head", json: JSON.stringify(args) }, ...fields });
  await cancelJob(world.deps, job, { by: "ann", reason: "" });
  return job.id;
};
const at = (id: string, workspace = world.workspace) => ({ workspace, id });
const share = (id: string, { withArgs = false, expiresInS = 3600, actor = anAdmin as Actor } = {}) =>
  shareJob(world.deps, { actor, action: routes.shareJob }, at(id), { withArgs, expiresInS });
const tokenOf = ({ url }: { url: string }) => url.slice(`${world.deps.baseUrl}/share/`.length);
const shown = (token: string) => loadSharedRun(world.deps, token);
const list = (id: string, actor: Actor = anAdmin) => listShares(world.deps, { actor, action: routes.listShares }, at(id));
const revoke = (id: string, link: string, actor: Actor = anAdmin) =>
  revokeShare(world.deps, { actor, action: routes.revokeShare }, at(id), link);
const refused = (code: string) => expect.objectContaining({ code });

const withRight = (reader: Person, right: "write"): Person => ({
  ...reader,
  ...(reader.rights ? { rights: { ...reader.rights, folders: { t: right } } } : {}),
});

describe("a link to a run", () => {
  it("shows the state, the log and the result to everyone who has it, and the arguments only on request", async () => {
    const id = await addRun({ x: "an argument" });
    const run = await shown(tokenOf(await share(id)));
    expect(run).toMatchObject({ state: "canceled", job_kind: "script", logs: "", result: { error: { name: "Canceled" } }, omitted: [] });
    expect(JSON.stringify(run)).not.toMatch(/an argument|@|worker/);
    expect(await shown(tokenOf(await share(id, { withArgs: true })))).toMatchObject({ args: { x: "an argument" } });
  });

  it("shows the steps of a flow and their logs, without the ids of their jobs in the list", async () => {
    const { run } = await runFlowInCloud(world, [echo("a", "'first'"), echo("b", "'second'")]);
    const { steps } = await shown(tokenOf(await share(run)));
    expect(steps).toEqual([
      { id: "a", state: "succeeded" },
      { id: "b", state: "succeeded" },
    ]);
  });

  it("shows redacted values", async () => {
    const hidden = { in: "head", json: '{"x":"******"}' } as const;
    const id = await addRun({ x: "secret" }, { redactedArgs: hidden });
    expect(await shown(tokenOf(await share(id, { withArgs: true })))).toMatchObject({ args: { x: "******" } });
  });

  it("leaves out values that are too large", async () => {
    const [key, json] = [`jobs/${randomUUID()}.json`, JSON.stringify({ x: "x".repeat(limits.sharedPartBytes) })];
    await world.deps.storage.putObject(key, json, "application/json");
    const id = await addRun({}, { args: { in: "s3", key, bytes: json.length } });
    const run = await shown(tokenOf(await share(id, { withArgs: true })));
    expect(run).toMatchObject({ omitted: ["args"] });
    expect(run).not.toHaveProperty("args");
  });

  it("is stored as a hash only, and listed without its address", async () => {
    const id = await addRun();
    const link = await share(id);
    const stored = await world.deps.objects.get(sharesObject.key(world.workspace, id));
    for (const text of [JSON.stringify(stored), JSON.stringify(await list(id))]) expect(text).not.toContain(tokenOf(link));
    expect(await list(id)).toMatchObject([{ id: link.id, created_by: "ann", with_args: false, expires_at: link.expires_at }]);
  });

  it("does not exist once it is unknown, expired, revoked, or its run is erased or its creator may not share the run", async () => {
    const notFound = refused("share.notFound");
    const id = await addRun();
    await share(id);
    const other = tokenOf(await share(await addRun()));
    // The token of one run does not open another one.
    const swapped = tokenOf(await share(id)).slice(0, 21) + other.slice(21);
    for (const text of ["", "x", "a".repeat(64), swapped]) await expect(shown(text)).rejects.toEqual(notFound);

    const expired = await share(id, { expiresInS: 10 });
    world.clock.nowMs += 10_000;
    await expect(shown(tokenOf(expired))).rejects.toEqual(notFound);

    const revoked = await share(id);
    await revoke(id, revoked.id);
    await expect(shown(tokenOf(revoked))).rejects.toEqual(notFound);
    await expect(revoke(id, revoked.id)).rejects.toEqual(notFound);

    const erased = tokenOf(await share(id));
    const job = await jobOf(id);
    await eraseJob(world.deps, hasEnded(job) ? job : expect.fail("The job runs."));
    await expect(shown(erased)).rejects.toEqual(notFound);
    await expect(share(id)).rejects.toEqual(refused("job.erased"));

    const bob = { email: "bob@example.com", username: "bob", is_admin: false, operator: false };
    await addMember(world.deps, world.workspace, bob, { inherits: false });
    const ofBob = await addRun({}, { email: bob.email, createdBy: "bob", permissionedAs: "u/bob", path: undefined });
    const link = tokenOf(await share(ofBob, { actor: aReader(world.workspace, []) }));
    await shown(link);
    await removeMember(world.deps, world.workspace, "bob");
    await expect(shown(link)).rejects.toEqual(notFound);
  });

  it("is created and revoked by those who may cancel the run, and listed for its readers", async () => {
    const id = await addRun({}, { path: "f/t/one" });
    const [reader, outsider] = [aReader(world.workspace, ["t"]), { ...aReader(world.workspace, []), email: "eve@example.com" }];
    for (const act of [share(id, { actor: outsider }), list(id, outsider), revoke(id, randomUUID(), outsider)])
      await expect(act).rejects.toEqual(refused("job.notFound"));
    const link = await share(id);
    for (const act of [share(id, { actor: reader }), revoke(id, link.id, reader)])
      await expect(act).rejects.toEqual(refused("auth.forbidden"));
    expect(await list(id, reader)).toHaveLength(1);
    await revoke(id, link.id, withRight(reader, "write"));
    expect(await list(id)).toEqual([]);
    const operator = { ...reader, rights: { ...reader.rights, role: "operator" as const } } as Person;
    const ofOperator = await addRun({}, { path: "f/t/one", email: operator.email });
    await revoke(ofOperator, (await share(ofOperator, { actor: operator })).id, operator);
  });

  it("cannot be created with the token of a job, or with a token that only reads", () => {
    const target = { workspace: world.workspace, owner: anAdmin.email };
    const actors = [{ ...anAdmin, kind: "job", workspace: world.workspace } as unknown as Actor, { ...anAdmin, readOnly: true }];
    for (const actor of actors) expect(may(actor, routes.shareJob.access, target)).toBe(false);
  });

  it("is one of at most 20 of its run, also if several are created at the same time", async () => {
    const id = await addRun();
    for (let n = 0; n < limits.shares - 1; n += 1) await share(id);
    const outcomes = await Promise.allSettled([share(id), share(id)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    world.clock.nowMs += 3600_000;
    await share(id);
  });

  it("is revoked, whichever write fails", async () => {
    await expectToSurviveFaults(async () => {
      const id = await addRun();
      const link = await share(id);
      const act = () => revoke(id, link.id);
      return {
        act,
        recover: () => repeat(act, ["share.notFound"]),
        check: async () => await expect(shown(tokenOf(link))).rejects.toEqual(refused("share.notFound")),
      };
    });
  });
});
