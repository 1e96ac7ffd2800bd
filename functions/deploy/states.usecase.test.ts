import { beforeAll, expect, it } from "vitest";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { readStates, writeState } from "./states.ts";

let world: World;
beforeAll(async () => {
  world = await newWorld();
});
const call = (id: string, workspace = world.workspace) => ({ workspace, id });
const digest = { digest: "1" };

it("the states of other calls name the items that those calls contain, and their folders", async () => {
  const { storage } = world.deps;
  const items = { "script f/a/own": digest, "folder a": digest };
  await writeState(storage, call("Own"), { items, keys: Object.keys(items) });
  // A call whose push may have deployed more items than its state contains.
  await writeState(storage, call("Other"), { items: {}, keys: ["flow f/b/y"] });
  await writeState(storage, call("Removed"), { items: { "script f/c/left": digest }, keys: [] });
  await storage.putObject(`deployments/${world.workspace}/Old.json`, JSON.stringify({ items: { settings: digest } }), "application/json");
  await writeState(storage, call("Own", `${world.workspace}-2`), { items: {}, keys: ["script f/d/foreign"] });

  const { callState: own, others } = await readStates(storage, call("Own"));
  expect(own).toEqual({ items, keys: Object.keys(items) });
  expect([...others].sort()).toEqual(["flow f/b/y", "folder b", "settings"]);
  expect((await readStates(storage, call("Removed"))).callState.items).toEqual({ "script f/c/left": digest });
  expect((await readStates(storage, call("Unknown"))).callState).toEqual({ items: {}, keys: [] });
});
