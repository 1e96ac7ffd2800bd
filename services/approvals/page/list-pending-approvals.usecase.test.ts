import { describe, expect, it } from "vitest";
import { defined } from "../../../contract/defined.ts";
import { limits } from "../../../contract/limits.ts";
import { pendingGateObject } from "../../../core/approvals/pending-gate.ts";
import { write } from "../../../core/objects/write.ts";
import { newWorld, type World } from "../../../test/support/use-cases/world.ts";
import { gates, playExecutions, startFlow } from "../../../test/support/use-cases/world-flows.ts";
import { addWorkspace } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { listPendingApprovals } from "./list-pending-approvals.ts";

async function newWorldWithGates(count: number): Promise<{ world: World; opened: string[] }> {
  const world = await newWorld();
  await addWorkspace(world);
  const runs: string[] = [];
  for (let n = 0; n < count; n += 1) {
    runs.push(await startFlow(world, [{ id: "ask", value: { type: "identity" }, suspend: { required_events: 1 } }]));
  }
  await playExecutions(world);
  const opened = (await Promise.all(runs.map((run) => gates(world, run)))).flat().map(({ id }) => id);
  expect(opened).toHaveLength(count);
  return { world, opened: opened.sort() };
}

/** Adds entries of gates that the caller may not decide, before and after all others. */
async function addOtherEntries({ deps, workspace }: World, count: number, expiresAtS?: number): Promise<void> {
  for (const first of ["00000000", "ffffffff"]) {
    const ids = Array.from({ length: count }, (_, n) => `${first}-0000-4000-8000-${String(n).padStart(12, "0")}`);
    const put = (id: string) => write.put({ ...pendingGateObject.key(workspace, id), value: { flow: id }, ...defined({ expiresAtS }) });
    for (let at = 0; at < count; at += 100) await deps.objects.transactWrite(ids.slice(at, at + 100).map(put));
  }
}

const list = (world: World, before?: string, maxRead?: number) =>
  listPendingApprovals(world.deps, { actor: anAdmin, workspace: world.workspace }, { before }, maxRead);

describe("the list of pending approvals", () => {
  it("contains every request that the caller may decide, although a thousand other gates wait", async () => {
    const { world, opened } = await newWorldWithGates(1);
    await addOtherEntries(world, limits.pendingListed);
    const { approvals, before } = await list(world);
    expect(approvals.map(({ gate_id }) => gate_id)).toEqual(opened);
    expect(before).toBeUndefined();
  });

  it("is continued by its cursor until each request was returned once, even after entries that have expired", async () => {
    const { world, opened } = await newWorldWithGates(3);
    await addOtherEntries(world, 3, 1);
    const found: string[] = [];
    let before: string | undefined;
    let pages = 0;
    do {
      const page = await list(world, before, 2);
      found.push(...page.approvals.map(({ gate_id }) => gate_id));
      before = page.before;
      pages += 1;
    } while (before !== undefined && pages < 20);
    expect(found.sort()).toEqual(opened);
    expect(pages).toBeGreaterThan(3);
  });
});
