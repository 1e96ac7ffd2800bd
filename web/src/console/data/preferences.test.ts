import { expect, it } from "vitest";
import { applyChange, toScheme } from "./preferences.ts";

it("a change of preferences replaces its fields, and null removes one", () => {
  const before = { theme: "dark", timezone: "UTC", dismissed_hints: ["runs"] } as const;
  const all = { ...before, dismissed_hints: [...before.dismissed_hints] };
  expect(applyChange(all, { timezone: null, dismissed_hints: ["runs", "home"] })).toEqual({
    theme: "dark",
    dismissed_hints: ["runs", "home"],
  });
  expect(applyChange({}, { theme: "light", timezone: undefined })).toEqual({ theme: "light" });
});

it.each([
  ["dark", "dark"],
  ["light", "light"],
  ["system", "auto"],
  [undefined, "auto"],
] as const)("the theme %s is the colour scheme %s", (theme, scheme) => {
  expect(toScheme(theme)).toBe(scheme);
});
