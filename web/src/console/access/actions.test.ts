import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Need } from "../../../../contract/access/access-rule.ts";
import type { Route } from "../../../../contract/route.ts";
import { routes } from "../../../../contract/routes/routes.ts";
import { isOffered, type Offered, offers } from "./actions.ts";

const byName = new Map(Object.values<Route>(routes).map((route) => [route.name, route]));

/** The people who can satisfy a need on some object of a workspace. */
const byNeed: Readonly<Record<Need, Offered>> = {
  self: "everyone",
  member: "everyone",
  read: "everyone",
  run: "everyone",
  write: "writers",
  own: "writers",
  admin: "admins",
  superadmin: "superadmins",
};

/** The names of the operations that the files of the pages call. */
async function calledOperations(): Promise<Set<string>> {
  const folders = ["..", "../../shared", "../../approval"].map((folder) => join(import.meta.dirname, folder));
  const files = (
    await Promise.all(folders.map(async (folder) => (await readdir(folder, { recursive: true })).map((name) => join(folder, name))))
  ).flat();
  const sources = files.filter((name) => /\.tsx?$/.test(name) && !name.includes(".test."));
  const texts = await Promise.all(sources.map((name) => readFile(name, "utf8")));
  return new Set(texts.flatMap((text) => [...text.matchAll(/\b(?:call|ask)\.([a-zA-Z.]+)/g)].map(([, name = ""]) => name)));
}

describe("the actions of the console", () => {
  it.each(Object.entries(offers))("%s is offered to the people who may call its route: %s", (operation, offered) => {
    const access = byName.get(operation)?.access;
    expect(access).toBeDefined();
    expect(typeof access === "object" && "need" in access ? byNeed[access.need as Need] : "everyone").toBe(offered);
  });

  it("include each operation that a page calls and that changes something, and no other one", async () => {
    const called = await calledOperations();
    expect(called.size).toBeGreaterThan(10);
    const changing = [...called].filter((name) => byName.has(name) && byName.get(name)?.method !== "GET");
    // Visitors without a session sign in, and holders of a link decide.
    const openToAll = ["auth.login", "auth.logout", "approvals.decide"];
    expect(changing.filter((name) => !(name in offers) && !openToAll.includes(name))).toEqual([]);
    expect(Object.keys(offers).filter((name) => !called.has(name))).toEqual([]);
  });

  it("depend on the role of a member", () => {
    const member = { operator: false, is_admin: false, is_super_admin: false };
    const roles = [{ ...member, operator: true }, member, { ...member, is_admin: true }, { ...member, is_super_admin: true }];
    expect(roles.map((role) => isOffered("jobs.share", role))).toEqual([true, true, true, true]);
  });
});
