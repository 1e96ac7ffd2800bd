import { describe, expect, it } from "vitest";
import { fromAppFile, removeDerivedPolicy, toAppFile } from "./app-file.ts";

describe("the file of an app", () => {
  it.each([
    ["publisher", {}],
    ["anonymous", { public: true }],
    ["guest", { guests: true }],
    ["viewer", { policy: { execution_mode: "viewer" } }],
  ])("expresses the mode %s, in both directions", (execution_mode, expressed) => {
    const app = { summary: "A", value: {}, policy: { execution_mode } };
    expect(toAppFile(app)).toEqual({ summary: "A", value: {}, ...expressed });
    expect(fromAppFile(toAppFile(app))).toEqual(app);
  });

  it("leaves out what clients compute from the value and what the server sets, and keeps everything else", () => {
    const derived = { triggerables: {}, triggerables_v2: { a: {} }, on_behalf_of: "u/ann", on_behalf_of_email: "ann@example.com" };
    const policy = { execution_mode: "guest", s3_inputs: [], allowed_s3_keys: [{ s3_path: "a" }], other: 1, ...derived };
    const file = { guests: true, policy: { allowed_s3_keys: [{ s3_path: "a" }], other: 1 } };
    expect(toAppFile({ policy })).toEqual(file);
    expect(fromAppFile(file)).toEqual({ policy: removeDerivedPolicy(policy) });
  });

  it.each([
    ["no policy", {}, "publisher"],
    ["flags that are not set", { public: false, guests: false }, "publisher"],
    ["null", { policy: null }, "publisher"],
    ["a policy with a mode", { policy: { execution_mode: "anonymous" } }, "anonymous"],
    ["a flag beside a policy with another mode", { public: true, policy: { execution_mode: "viewer" } }, "anonymous"],
  ])("with %s means one mode", (_, file, execution_mode) => {
    expect(fromAppFile(file)).toEqual({ policy: { execution_mode } });
  });
});
