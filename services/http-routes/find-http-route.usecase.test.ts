import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { ObjectStore } from "../../ports/object-store.ts";
import { newTriggerWorld, type TriggerWorld } from "../../test/support/use-cases/world-triggers.ts";
import { findHttpRoute } from "./find-http-route.ts";

let world: TriggerWorld;
beforeAll(async () => {
  world = await newTriggerWorld();
});

/** Finds a route, and returns the number of items of each read as well. */
async function find(path: string) {
  const reads: { items: number; consistent: boolean }[] = [];
  const batchGet: ObjectStore["batchGet"] = (wanted, options = {}) => {
    reads.push({ items: wanted.length, consistent: options.consistent ?? false });
    return world.deps.objects.batchGet(wanted, options);
  };
  const match = await findHttpRoute({ objects: { ...world.deps.objects, batchGet } }, { method: "post", path });
  return { outcome: match.outcome, reads };
}

async function addHttpRoute(routePath: string) {
  const script_path = await world.addRunnable(`u/ann/s${randomUUID().slice(0, 8)}`);
  const route = { path: `u/ann/${randomUUID()}`, script_path, is_flow: false, route_path: routePath, http_method: "post" };
  await world.create("http", { ...route, workspaced_route: true });
}

describe("a request to a route", () => {
  it("costs two reads, whatever the number of routes", async () => {
    const name = `r${randomUUID().slice(0, 8)}`;
    await addHttpRoute(`${name}/:id`);
    const path = `${world.workspace}/${name}/7`;
    const expected = {
      outcome: "found",
      reads: [
        { items: 4, consistent: false },
        { items: 6, consistent: true },
      ],
    };
    expect(await find(path)).toEqual(expected);
    for (let count = 0; count < 20; count += 1) await addHttpRoute(`${name}x/n${count}/:id`);
    expect(await find(path)).toEqual(expected);
  });

  it("costs one read if there is no such route", async () => {
    const { outcome, reads } = await find(`${world.workspace}/none/7`);
    expect([outcome, reads.length]).toEqual(["unknown", 1]);
  });
});
