import { describe, expect, it } from "vitest";
import { decryptMasks, encryptMasks } from "./mask-encryption.ts";

describe("encrypted secrets", () => {
  it("can be decrypted only with the token with which they were encrypted", () => {
    const box = encryptMasks("token of the job", ["one", "zwei ü"]);
    expect(decryptMasks("token of the job", box)).toEqual(["one", "zwei ü"]);
    expect(decryptMasks("token of its next attempt", box)).toEqual([]);
    expect(Buffer.from(box, "base64").toString("latin1")).not.toContain("one");
  });
});
