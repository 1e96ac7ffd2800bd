import { describe, expect, it } from "vitest";
import { boxSecrets, unboxSecrets } from "./mask-box.ts";

describe("boxed secrets", () => {
  it("open with the token that they were boxed with, and are nothing to another", () => {
    const box = boxSecrets("token of the job", ["one", "zwei ü"]);
    expect(unboxSecrets("token of the job", box)).toEqual(["one", "zwei ü"]);
    expect(unboxSecrets("token of its next attempt", box)).toEqual([]);
    expect(Buffer.from(box, "base64").toString("latin1")).not.toContain("one");
  });
});
