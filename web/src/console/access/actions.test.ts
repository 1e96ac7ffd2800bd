import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Need } from "../../../../contract/access/access-rule.ts";
import type { Route } from "../../../../contract/route.ts";
import { routes } from "../../../../contract/routes/routes.ts";
import type { Person } from "../../../../core/people/actor.ts";
import { deriveRights } from "../../../../core/permissions/access.ts";
import { may } from "../../../../core/permissions/may.ts";
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

const people = [
  ["a superadmin", "superadmin"],
  ["an admin", "admin"],
  ["a developer", "developer"],
  ["an operator", "operator"],
] as const;
type Role = (typeof people)[number][1];

/** A person of a workspace, as the service checks the rights. */
function actorOf(role: Role): Person {
  const identity = { kind: "person", email: "ann@example.com", username: "ann", tokenHash: "", tokenPrefix: "" } as const;
  if (role === "superadmin") return { ...identity, superAdmin: true };
  const rights = deriveRights("ws", { username: "ann", role }, { groups: {}, folders: {}, objects: {} });
  return { ...identity, superAdmin: false, rights };
}
const ownObject = { workspace: "ws", path: "u/ann/x", owner: "ann@example.com" };

/** The names of the operations that the files of the pages call. */
async function calledOperations(): Promise<Set<string>> {
  const folders = ["..", "../../shared", "../../approval"].map((folder) => join(import.meta.dirname, folder));
  const files = (
    await Promise.all(folders.map(async (folder) => (await readdir(folder, { recursive: true })).map((name) => join(folder, name))))
  ).flat();
  const sources = files.filter((name) => /\.tsx?$/.test(name) && !name.includes(".test."));
  const texts = await Promise.all(sources.map((name) => readFile(name, "utf8")));
  return new Set(texts.flatMap((text) => [...text.matchAll(/\b(?:call|ask)\.([\w.]+)/g)].map(([, name = ""]) => name)));
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

  it.each(people)("are offered to %s exactly if the service permits them on an object of that person", (_, role) => {
    const member = { operator: role === "operator", is_admin: role === "admin", is_super_admin: role === "superadmin" };
    const permitted = Object.keys(offers).filter((operation) => {
      const route = byName.get(operation);
      return route?.auth !== "token" || may(actorOf(role), route.access, ownObject);
    });
    const offered = (Object.keys(offers) as (keyof typeof offers)[]).filter((operation) => isOffered(operation, member));
    expect(offered).toEqual(permitted);
    expect(offered.length).toBeGreaterThan(10);
  });

  it("are fewer for each role below", () => {
    const counts = people.map(([, role]) => {
      const member = { operator: role === "operator", is_admin: role === "admin", is_super_admin: role === "superadmin" };
      return Object.keys(offers).filter((operation) => isOffered(operation as keyof typeof offers, member)).length;
    });
    expect(counts).toEqual([...new Set(counts)].sort((a, b) => b - a));
  });
});
