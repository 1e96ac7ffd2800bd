import { expect, it } from "vitest";
import { roleOf, rolesOf } from "./role.ts";

it.each(["admin", "developer", "operator"] as const)("the flags of the role %s are read as this role", (role) => {
  expect(roleOf(rolesOf(role))).toBe(role);
});

it("an administrator with the flag of operators is an administrator", () => {
  expect(roleOf({ is_admin: true, operator: true })).toBe("admin");
});
