import { expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import type { Uses } from "../uses.ts";
import { resolveReferences } from "./resolve.ts";

it("a value with too many references is refused before any of them is read", async () => {
  const value = Array.from({ length: limits.references + 1 }, (_, index) => `$var:f/ops/v${index}`);
  // Without dependencies, each read would fail.
  const resolved = resolveReferences({} as Uses<"objects" | "dataKeys" | "nowMs">, [], "team", { value });
  await expect(resolved).rejects.toMatchObject({ code: "reference.tooMany", details: { limit: limits.references } });
});
