import { describe, expect, it } from "vitest";
import { describeSettingIssue } from "./instance.ts";

describe("describeSettingIssue", () => {
  it.each([[2 ** 53], [-(2 ** 53)], [1e-200], [5e-324], [{ a: [1, { b: 1e300 }] }]])(
    "the function refuses %j, because the store has no such number",
    (value) => {
      expect(describeSettingIssue("other", value)).toMatch(/^its numbers must be/);
    },
  );

  it.each([[0], [-0.5], [2 ** 53 - 1], ["1e999"], [{ a: [null, true, 1e-100] }]])("the function accepts %j", (value) => {
    expect(describeSettingIssue("other", value)).toBeUndefined();
  });
});
