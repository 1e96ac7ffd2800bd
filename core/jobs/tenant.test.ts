import fc from "fast-check";
import { expect, it } from "vitest";
import { buildIdentityKey, buildTenantKey, type Tenancy } from "./tenant.ts";

it("two identities never share a tenant, also if they have the same username", () => {
  const ann = { workspace: "w", permissionedAs: "u/ann", email: "ann@example.com" };
  expect(buildTenantKey(ann, "identity")).toBe(buildTenantKey({ ...ann, email: "Ann@Example.com" }, "identity"));
  const identity = fc.record({
    workspace: fc.constantFrom("w", "w\nu/ann", 'w"'),
    permissionedAs: fc.constantFrom("u/ann", "u/ann\na@b.c", "g/all"),
    email: fc.constantFrom("ann@example.com", "ann@example.org", "a@b.c"),
  });
  fc.assert(
    fc.property(identity, identity, (one, other) => {
      const same = (tenancy: Tenancy) => buildTenantKey(one, tenancy) === buildTenantKey(other, tenancy);
      expect(same("identity")).toBe(JSON.stringify(one) === JSON.stringify(other));
      // Two workspaces never share a tenant either, and the processes within one belong to identities.
      expect(same("workspace")).toBe(one.workspace === other.workspace);
      expect(buildIdentityKey(one) === buildIdentityKey(other)).toBe(same("identity"));
    }),
  );
});
