import { describe, expect, it } from "vitest";
import { limits } from "../../../contract/limits.ts";
import { pendingGateObject } from "../../../core/approvals/pending-gate.ts";
import { write } from "../../../core/objects/write.ts";
import { newRoom, type Room } from "../../../test/support/use-cases/room.ts";
import { gates, playExecutions, startFlow } from "../../../test/support/use-cases/room-flows.ts";
import { addWorkspace } from "../../../test/support/use-cases/room-jobs.ts";
import { anAdmin } from "../../../test/support/use-cases/room-people.ts";
import { listPendingApprovals } from "./list-pending-approvals.ts";

async function newRoomWithGates(count: number): Promise<{ room: Room; opened: string[] }> {
  const room = await newRoom();
  await addWorkspace(room);
  const runs: string[] = [];
  for (let n = 0; n < count; n += 1) {
    runs.push(await startFlow(room, [{ id: "ask", value: { type: "identity" }, suspend: { required_events: 1 } }]));
  }
  await playExecutions(room);
  const opened = (await Promise.all(runs.map((run) => gates(room, run)))).flat().map(({ id }) => id);
  expect(opened).toHaveLength(count);
  return { room, opened: opened.sort() };
}

/** Adds entries of gates that the caller may not decide, before and after all others. */
async function addOtherEntries({ deps, workspace }: Room, count: number, expiresAtS?: number): Promise<void> {
  for (const first of ["00000000", "ffffffff"]) {
    const ids = Array.from({ length: count }, (_, n) => `${first}-0000-4000-8000-${String(n).padStart(12, "0")}`);
    const put = (id: string) =>
      write.put({ ...pendingGateObject.key(workspace, id), value: { flow: id }, ...(expiresAtS === undefined ? {} : { expiresAtS }) });
    for (let at = 0; at < count; at += 100) await deps.objects.transactWrite(ids.slice(at, at + 100).map(put));
  }
}

const list = (room: Room, before?: string, maxRead?: number) =>
  listPendingApprovals(room.deps, { actor: anAdmin, workspace: room.workspace }, { before }, maxRead);

describe("the list of pending approvals", () => {
  it("contains every request that the caller may decide, although a thousand other gates wait", async () => {
    const { room, opened } = await newRoomWithGates(1);
    await addOtherEntries(room, limits.pendingListed);
    const { approvals, before } = await list(room);
    expect(approvals.map(({ gate_id }) => gate_id)).toEqual(opened);
    expect(before).toBeUndefined();
  });

  it("is continued by its cursor until each request was returned once, also behind entries that have expired", async () => {
    const { room, opened } = await newRoomWithGates(3);
    await addOtherEntries(room, 3, 1);
    const found: string[] = [];
    let before: string | undefined;
    let pages = 0;
    do {
      const page = await list(room, before, 2);
      found.push(...page.approvals.map(({ gate_id }) => gate_id));
      before = page.before;
      pages += 1;
    } while (before !== undefined && pages < 20);
    expect(found.sort()).toEqual(opened);
    expect(pages).toBeGreaterThan(3);
  });
});
