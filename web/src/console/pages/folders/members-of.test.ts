import { expect, it } from "vitest";
import { membersOf } from "./members-of.ts";

it("a folder lists its owners once, and the others by their permission", () => {
  expect(membersOf({ owners: ["u/ann"], extra_perms: { "u/ann": true, "g/ops": true, "g/all": false } })).toEqual([
    { name: "u/ann", right: "owner" },
    { name: "g/ops", right: "write" },
    { name: "g/all", right: "read" },
  ]);
  expect(membersOf(undefined)).toEqual([]);
});
