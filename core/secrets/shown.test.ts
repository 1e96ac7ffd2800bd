import { describe, expect, it } from "vitest";
import { maskerOf } from "./mask.ts";
import { secretsIn } from "./shown.ts";

describe("what is hidden in a value", () => {
  it("is found at every depth, in texts, keys and numbers", () => {
    const secrets = ["planted-secret", "another secret", "1234567890"];
    const value = { a: ["x planted-secret y", { "another secret": 1 }], n: 1234567890, plain: "***", short: "*" };
    const shown = maskerOf(secrets)?.value(value);
    expect([...secretsIn(value, shown)].sort()).toEqual([...secrets].sort());
  });

  it("is nothing where nothing is hidden", () => {
    const value = { a: "text with * and **********", b: [1, null, true] };
    expect([...secretsIn(value, structuredClone(value))]).toEqual([]);
  });
});
