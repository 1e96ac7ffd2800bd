import { expect, it } from "vitest";
import { checkUnchanged } from "./unchanged.ts";

const read = {
  id: "ops",
  edited_at: "2026-01-01T00:00:00.000Z",
  edited_by: "ann",
  url: "https://a.example",
  events: null as string[] | null,
  paths: null as string[] | null,
  enabled: true,
};
const changed = {
  ...read,
  edited_at: "2026-01-02T00:00:00.000Z",
  edited_by: "bob",
  url: "https://b.example",
  events: ["CreateVariable"],
  paths: ["f/ops/*"],
  enabled: false,
};
const changedAgain = { ...read, edited_at: "2026-01-03T00:00:00.000Z", edited_by: "eve" };

it("a save over a change of another person asks once for each change", async () => {
  const noticed = new Set<string>();
  const check = (...present: (typeof read)[]) => checkUnchanged({ list: async () => present }, "ops", read, noticed);
  await check({ ...changed, id: "other" }, read);
  await expect(check(changed)).rejects.toThrow(
    /^bob has changed this webhook .* Now: https:\/\/b\.example; event types CreateVariable; paths f\/ops\/\*; disabled\./,
  );
  await check(changed);
  await expect(check(changedAgain)).rejects.toThrow(/^eve has changed/);
  await expect(check()).rejects.toThrow(/^Someone has changed .* Now: the webhook is removed\./);
  await check();
});

it("a save of a new endpoint asks if another person has added one with its id", async () => {
  await checkUnchanged({ list: async () => [] }, "ops", undefined, new Set());
  await expect(checkUnchanged({ list: async () => [changed] }, "ops", undefined, new Set())).rejects.toThrow(/^bob/);
});
