import { describe, expect, it } from "vitest";
import { createMasker } from "./mask.ts";
import { findMaskedSecrets } from "./masked-secrets.ts";

describe("findMaskedSecrets", () => {
  it("finds the hidden secrets at every depth, in texts, keys and numbers", () => {
    const secrets = ["planted-secret", "another secret", "1234567890"];
    const value = { a: ["x planted-secret y", { "another secret": 1 }], n: 1234567890, plain: "***", short: "*" };
    const shown = createMasker(secrets)?.value(value);
    expect([...findMaskedSecrets(value, shown)].sort()).toEqual([...secrets].sort());
  });

  it("finds nothing in a value that hides nothing", () => {
    const value = { a: "text with * and **********", b: [1, null, true] };
    expect([...findMaskedSecrets(value, structuredClone(value))]).toEqual([]);
  });
});
