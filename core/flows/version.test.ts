import { describe, expect, it } from "vitest";
import { flowValueSchema } from "../../contract/flows/flow-value-schema.ts";
import { computeFlowHash, createVersionId, listAllModules, removeInlineCode } from "./version.ts";

const inline = (id: string, input_transforms = {}) => ({
  id,
  value: { type: "rawscript", language: "bash", content: "echo hi", lock: "l", input_transforms },
});
const value = flowValueSchema.parse({
  modules: [
    inline("a", { x: { type: "static", value: { type: "rawscript", content: "an argument", lock: "too" } } }),
    { id: "b", value: { type: "forloopflow", iterator: { type: "static", value: [] }, modules: [inline("c")] } },
    { id: "d", value: { type: "branchone", branches: [{ expr: "true", modules: [inline("e")] }], default: [inline("f")] } },
    { id: "g", value: { type: "branchone", branches: [] } },
    { id: "h", value: { type: "script", path: "f/t/a" } },
  ],
  failure_module: inline("failure"),
  preprocessor_module: inline("preprocessor"),
});

describe("modules of a flow", () => {
  it("every nested module, the failure module and the preprocessor are listed", () => {
    expect(listAllModules(value).map(({ id }) => id)).toEqual(["a", "b", "c", "d", "e", "f", "g", "h", "failure", "preprocessor"]);
  });
});

describe("flows without code", () => {
  it("only the code of inline scripts is removed", () => {
    const before = structuredClone(value);
    const without = removeInlineCode(value);
    const json = JSON.stringify(without);
    expect(json).not.toContain("echo hi");
    expect(json).not.toContain('"lock":"l"');
    expect(listAllModules(without).map(({ id }) => id)).toEqual(listAllModules(value).map(({ id }) => id));
    expect(without.modules[0]).toMatchObject({
      value: { input_transforms: { x: { value: { type: "rawscript", content: "an argument", lock: "too" } } } },
    });
    expect(value).toEqual(before);
  });
});

describe("ids and hashes", () => {
  it("ids increase with time and fit every client, and hashes are unique for each version", () => {
    expect(createVersionId(2, 0)).toBeGreaterThan(createVersionId(1, 0.9999));
    expect(Number.isSafeInteger(createVersionId(Date.UTC(2200, 0), 0.9999))).toBe(true);
    const sent = { path: "f/t/a", summary: "", value };
    expect(computeFlowHash("w", 1, sent)).toMatch(/^[0-9a-f]{16}$/);
    expect(new Set([computeFlowHash("w", 1, sent), computeFlowHash("w", 2, sent), computeFlowHash("v", 1, sent)]).size).toBe(3);
  });
});
