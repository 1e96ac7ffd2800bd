import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Right, Role } from "../people/rights.ts";
import {
  type Access,
  deriveGroupRights,
  deriveRights,
  hasGrants,
  includesRight,
  isPrincipal,
  listWriters,
  noAccess,
  revokeGrants,
  strongestRight,
} from "./access.ts";

const group = (members: string[], perms: Record<string, boolean> = {}) => ({ members, perms });
const folder = (owners: string[], perms: Record<string, boolean> = {}) => ({ owners, perms });
const access: Access = {
  groups: { ops: group(["ann"]), sales: group(["bob"], { "u/ann": true, "g/ops": false }) },
  folders: {
    owned: folder(["u/ann"], { "u/ann": false }),
    "by-group": folder(["u/bob"], { "g/ops": true, "u/ann": false }),
    "by-all": folder(["u/bob"], { "g/all": false }),
    "by-team": folder(["u/bob"], { "g/team": true }),
    closed: folder(["u/bob"], { "g/sales": true }),
  },
  objects: {
    "script u/bob/lent": { "u/ann": false },
    "script f/closed/lent": { "g/ops": true, "u/ann": false },
    "script f/closed/other": { "u/bob": true },
  },
};

describe("the stronger of two rights", () => {
  it.each<[Right | undefined, Right, boolean]>([
    [undefined, "read", false],
    ["read", "read", true],
    ["read", "write", false],
    ["write", "read", true],
    ["write", "owner", false],
    ["owner", "write", true],
    ["owner", "owner", true],
  ])("%s includes %s: %s", (right, wanted, includes) => {
    expect(includesRight(right, wanted)).toBe(includes);
  });

  it.each<[string, Record<string, boolean>, Right | undefined]>([
    ["no right, if the object names no user or group", {}, undefined],
    ["nothing, if others are named", { "u/bob": true, "g/sales": true }, undefined],
    ["read, by name", { "u/ann": false }, "read"],
    ["write, by name", { "u/ann": true }, "write"],
    ["write, by a group, whatever the name says", { "u/ann": false, "g/ops": true }, "write"],
    ["write, by name, whatever the group says", { "u/ann": true, "g/ops": false }, "write"],
    ["nothing, by a name without its kind", { ann: true, ops: true }, undefined],
  ])("permissions grant %s", (_, perms, right) => {
    expect(strongestRight(perms, new Set(["u/ann", "g/ops"]))).toBe(right);
  });
});

describe("the rights of a member", () => {
  it.each<Role>(["admin", "developer", "operator"])("with the role %s come from groups, folders and objects", (role) => {
    expect(deriveRights("w", { username: "ann", role }, access)).toEqual({
      workspace: "w",
      role,
      groups: ["all", "ops"],
      folders: { owned: "owner", "by-group": "write", "by-all": "read" },
      objects: { "script u/bob/lent": "read", "script f/closed/lent": "write", "group_ sales": "owner" },
    });
  });

  it("come also from groups of the instance", () => {
    const { groups, folders } = deriveRights("w", { username: "ann", role: "developer" }, access, ["team", "ops"]);
    expect(groups).toEqual(["all", "ops", "team"]);
    expect(folders["by-team"]).toBe("write");
  });

  it("do not include those of a group with their name", () => {
    const named: Access = { ...noAccess, folders: { x: folder(["g/ann"], { "g/ann": true }) } };
    expect(deriveRights("w", { username: "ann", role: "developer" }, named).folders).toEqual({});
  });

  it("without any permission are none", () => {
    const rights = deriveRights("w", { username: "ann", role: "developer" }, noAccess);
    expect(rights).toEqual({ workspace: "w", role: "developer", groups: ["all"], folders: {}, objects: {} });
  });
});

describe("the rights of a job that runs as a group", () => {
  it("are those of the group and of all members, without those of a user", () => {
    expect(deriveGroupRights("w", "ops", access)).toEqual({
      workspace: "w",
      role: "developer",
      asGroup: true,
      groups: ["all", "ops"],
      folders: { "by-group": "write", "by-all": "read" },
      objects: { "script f/closed/lent": "write" },
    });
  });

  it("do not include those of a user with the group's name", () => {
    expect(deriveGroupRights("w", "ann", access).folders).toEqual({ "by-all": "read" });
  });
});

describe("the writers of a path", () => {
  it.each<[string, string, string, string[]]>([
    ["the user of the folder", "script", "u/bob/x", ["u/bob"]],
    ["owners and writers of the folder", "script", "f/by-group/x", ["g/ops", "u/bob"]],
    ["those of the object too", "script", "f/closed/lent", ["g/ops", "g/sales", "u/bob"]],
    ["none of an object of another kind", "flow", "f/closed/lent", ["g/sales", "u/bob"]],
    ["no reader", "script", "u/bob/lent", ["u/bob"]],
    ["no users, if the folder does not exist", "script", "f/unknown/x", []],
  ])("are %s", (_, kind, path, writers) => {
    expect(listWriters(access, kind, path)).toEqual(writers);
  });
});

describe("a principal", () => {
  it.each<[string, boolean]>([
    ["u/ann", true],
    ["g/ops", true],
    [`u/${"a".repeat(100)}`, true],
    [`u/${"a".repeat(101)}`, false],
    ["u/", false],
    ["ann", false],
    ["f/ops", false],
    ["u/ann/x", false],
    ["u/ann\n", false],
    ["role:admin", false],
    ["ann@example.com", false],
  ])("%j is valid: %s", (text, valid) => {
    expect(isPrincipal(text)).toBe(valid);
  });
});

describe("grants by name", () => {
  it.each<[string, boolean]>([
    ["u/ann", true],
    ["u/bob", true],
    ["g/ops", true],
    ["g/team", true],
    ["u/carl", false],
    ["ann", false],
    ["constructor", false],
  ])("%s has grants: %s", (principal, has) => {
    expect(hasGrants(access, principal)).toBe(has);
  });

  it("an owner without further permissions has grants", () => {
    expect(hasGrants({ ...noAccess, folders: { x: folder(["u/ann"]) } }, "u/ann")).toBe(true);
  });

  it("a member of a group has no grants by name, and leaves the group when its grants are revoked", () => {
    const own: Access = { ...noAccess, groups: { ops: group(["ann", "bob"]) } };
    expect(hasGrants(own, "u/ann")).toBe(false);
    revokeGrants(own, "u/ann");
    expect(own.groups["ops"]?.members).toEqual(["bob"]);
  });

  it("a name has no grants after they are revoked, and every other name keeps its grants", () => {
    const names = ["u/ann", "u/bob", "g/ops", "g/sales", "g/team", "g/all"];
    fc.assert(
      fc.property(fc.constantFrom(...names), (revoked) => {
        const changed = structuredClone(access);
        revokeGrants(changed, revoked);
        expect(hasGrants(changed, revoked)).toBe(false);
        for (const name of names.filter((other) => other !== revoked)) {
          const without = (given: Access) => JSON.stringify(listAll(given, name));
          expect(without(changed)).toBe(without(access));
        }
      }),
    );
  });
});

/** Everything that the permissions say about a name. */
const listAll = ({ groups, folders, objects }: Access, name: string) => [
  ...Object.entries(groups).map(([key, { members, perms }]) => [key, members.includes(name.slice(2)) && name[0] === "u", perms[name]]),
  ...Object.entries(folders).map(([key, { owners, perms }]) => [key, owners.includes(name), perms[name]]),
  ...Object.entries(objects).map(([key, perms]) => [key, perms[name]]),
];
