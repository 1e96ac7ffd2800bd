import fc from "fast-check";
import { expect, it } from "vitest";
import { buildTenantKey } from "./tenant.ts";

it("two identities never share a tenant, also if they have the same username", () => {
  const ann = { workspace: "w", permissionedAs: "u/ann", email: "ann@example.com" };
  expect(buildTenantKey(ann)).toBe(buildTenantKey({ ...ann, email: "Ann@Example.com" }));
  const identity = fc.record({
    workspace: fc.constantFrom("w", "w\nu/ann", 'w"'),
    permissionedAs: fc.constantFrom("u/ann", "u/ann\na@b.c", "g/all"),
    email: fc.constantFrom("ann@example.com", "ann@example.org", "a@b.c"),
  });
  fc.assert(
    fc.property(identity, identity, (one, other) => {
      expect(buildTenantKey(one) === buildTenantKey(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
    }),
  );
});
