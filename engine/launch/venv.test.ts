import { describe, expect, it } from "vitest";
import { isUsable } from "./venv.ts";

describe("isUsable", () => {
  it.each([
    ["3.9", false],
    ["3.10", true],
    ["3.14", true],
    ["2.7", false],
    ["", false],
  ])("the result for Python %s is %s", (version, usable) => {
    expect(isUsable(version)).toBe(usable);
  });
});
