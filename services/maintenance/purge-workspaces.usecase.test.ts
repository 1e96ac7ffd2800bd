import { expect, it } from "vitest";
import { scanObjects } from "../../aws/dynamodb/object-scan.ts";
import { INSTANCE } from "../../contract/common.ts";
import { workspaceFolders } from "../../contract/retention.ts";
import { outboxEventObject } from "../../core/events/outbox-event.ts";
import { personKey } from "../../core/people/person.ts";
import { deletedWorkspaceObject } from "../../core/workspaces/deleted.ts";
import { readTables } from "../../test/support/use-cases/stored/stored-state.ts";
import { newWorld } from "../../test/support/use-cases/world.ts";
import { addEndpoint } from "../../test/support/use-cases/world-events.ts";
import { addJob, addScript, addWorkspace, newIsolation, work } from "../../test/support/use-cases/world-jobs.ts";
import { deleteWorkspace } from "../workspaces/archive.ts";
import { purgeDeletedWorkspaces } from "./purge-workspaces.ts";

it("a deleted workspace is removed step by step by ticks that each end early, two of them at once", async () => {
  const world = await newWorld();
  const { deps, workspace } = world;
  await addWorkspace(world);
  const { hash } = await addScript(world);
  const files = workspaceFolders.map((folder) => `${folder}/${workspace}/a/${hash}`);
  for (let n = 0; n < 3; n += 1) {
    const job = await addJob(world, { hash });
    files.push(`jobs/${workspace}/${job.id}/args.json`);
    await deps.queue.sendMessage(job);
  }
  await work(world);
  for (const file of files) await deps.storage.putObject(file, "text", "text/plain");
  // The table is larger than one page of a scan.
  for (let n = 0; n < 15; n += 1) await deps.objects.put({ pk: `VAR#${workspace}`, sk: `f/t/${n}`, value: { text: "x".repeat(100_000) } });
  const others = { pk: "VAR#other", sk: "f/t/kept" };
  await deps.objects.put({ ...others, value: {} });
  await addEndpoint(world);
  for (const owner of [workspace, INSTANCE]) await deps.objects.put({ ...outboxEventObject.key(owner, "event"), value: {} });
  await deleteWorkspace(deps, workspace, "ann");

  const tick = () => purgeDeletedWorkspaces({ ...deps, scanObjects, isolation: newIsolation(world) }, 0);
  const deleted = async () => (await deps.objects.get(deletedWorkspaceObject.key(workspace)))?.value as { passedMs?: number };
  let ticks = 0;
  for (; (await deleted()).passedMs === undefined; ticks += 1) await Promise.all([tick(), tick()]);
  expect(ticks).toBeGreaterThan(3);
  const { jobs, objects } = await readTables();
  expect(jobs).toEqual([]);
  expect(objects.map(({ pk, sk }) => [pk?.S, sk?.S]).sort()).toEqual([
    [`ACCESS#${workspace}`, "access"],
    ["DELETED", workspace],
    [`OUTBOX#${INSTANCE}`, "event"],
    ["USERS", personKey("ann@example.com")],
    [others.pk, others.sk],
  ]);
  for (const file of files) expect([file, await deps.storage.getObjectEtag(file)]).toEqual([file, undefined]);
});
