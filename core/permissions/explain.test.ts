import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Role } from "../people/rights.ts";
import type { Access } from "./access.ts";
import { type AccessReason, type ExplainedUser, explainAccess } from "./explain.ts";

const access: Access = {
  groups: { ops: { members: ["ann"], perms: {} }, sales: { members: ["bob"], perms: {} } },
  folders: {
    owned: { owners: ["u/ann"], perms: {} },
    shared: { owners: ["u/bob"], perms: { "g/ops": true, "g/all": false, "g/board": true } },
    none: { owners: ["u/bob"], perms: { "g/sales": true } },
  },
  objects: { "script f/none/lent": { "u/ann": false } },
};

const ann = (role: Role | undefined, more: Partial<ExplainedUser> = {}): ExplainedUser => ({
  email: "ann@example.com",
  username: "ann",
  superAdmin: false,
  instanceGroups: [],
  member: role && { username: "ann", role },
  ...more,
});
const explain = (user: ExplainedUser, path: string, kind = "script") => explainAccess(user, access, { workspace: "ws", kind, path });

describe("the access of a user to an object", () => {
  it.each([
    ["developer", "f/owned/x", { read: true, write: true, run: true }, ["ann owns the folder owned."]],
    [
      "developer",
      "f/shared/x",
      { read: true, write: true, run: true },
      [
        "The group ops, of which ann is a member, may change what is in the folder shared.",
        "The group all, of which every user is a member, may read and run what is in the folder shared.",
      ],
    ],
    ["developer", "f/none/lent", { read: true, write: false, run: true }, ["ann may read and run this script."]],
    ["developer", "f/none/x", { read: false, write: false, run: false }, ["No rule gives ann access to f/none/x."]],
    ["developer", "u/ann/x", { read: true, write: true, run: true }, ["Objects at u/ann/ belong to ann."]],
    [
      "developer",
      "u/bob/x",
      { read: false, write: false, run: false },
      ["Objects at u/bob/ belong to another user.", "No rule gives ann access to u/bob/x."],
    ],
    [
      "operator",
      "f/owned/x",
      { read: true, write: false, run: true },
      ["ann is an operator, who reads and runs, and changes nothing.", "ann owns the folder owned."],
    ],
    ["admin", "f/none/x", { read: true, write: true, run: true }, ["ann is an administrator, who may do everything in the workspace."]],
    [
      undefined,
      "f/owned/x",
      { read: false, write: false, run: false },
      ["ann is not a member of the workspace.", "No rule gives ann access to f/owned/x."],
    ],
  ] as const)("of a member with the role %s to %s is explained by its rules", (role, path, can, rules) => {
    const explained = explain(ann(role), path);
    expect(explained.can).toEqual(can);
    expect(explained.reasons.map(({ rule }) => rule)).toEqual(rules);
  });

  it("of a disabled member ends with the member's role", () => {
    const disabled = ann("admin", { member: { username: "ann", role: "admin", disabled: true } });
    expect(explain(disabled, "f/owned/x")).toEqual({
      can: { read: false, write: false, run: false },
      reasons: [
        { rule: "ann is disabled in the workspace, so no rule of it gives access.", from: "disabled", grants: "none" },
        { rule: "No rule gives ann access to f/owned/x.", from: "f/owned/x", grants: "none" },
      ],
    });
  });

  it("includes the user's groups of the instance", () => {
    const explained = explain(ann("developer", { instanceGroups: ["board"] }), "f/shared/x");
    expect(explained.reasons.map(({ rule }) => rule)).toContain(
      "The group board, of which ann is a member, may change what is in the folder shared.",
    );
  });

  it("has the same explanation for a folder that does not exist and for one without rights", () => {
    const rules = (path: string) => explain(ann("developer"), path).reasons.map(({ rule }) => rule.replaceAll(path, "…"));
    expect(rules("f/missing/x")).toEqual(rules("f/none/x"));
  });

  it("has reasons that agree with the decision, for any permissions", () => {
    const principals = fc.constantFrom("u/ann", "u/bob", "g/ops", "g/sales", "g/all");
    const perms = fc.dictionary(principals, fc.boolean());
    const strength: Record<AccessReason["grants"], number> = { none: 0, read: 1, write: 2, owner: 3 };
    fc.assert(
      fc.property(
        fc.record({ owners: fc.uniqueArray(principals), perms, objectPerms: perms }),
        fc.constantFrom<Role>("admin", "developer", "operator"),
        fc.constantFrom("f/a/x", "u/ann/x", "u/bob/x"),
        ({ owners, perms: folderPerms, objectPerms }, role, path) => {
          const random: Access = {
            ...access,
            folders: { a: { owners, perms: folderPerms } },
            objects: { [`script ${path}`]: objectPerms },
          };
          const { can, reasons } = explainAccess(ann(role), random, { workspace: "ws", kind: "script", path });
          const strongest = Math.max(...reasons.map(({ grants }) => strength[grants]));
          expect(can).toEqual({ read: strongest >= 1, run: strongest >= 1, write: strongest >= 2 && role !== "operator" });
        },
      ),
    );
  });
});
