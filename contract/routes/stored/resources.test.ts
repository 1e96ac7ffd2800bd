import { describe, expect, it } from "vitest";
import { newResourceTypeSchema, resourceTypeChangeSchema } from "./resources.ts";

describe("format_extension of a resource type", () => {
  it.each(["", "ini", "tar.gz", "JSON5", null, undefined])("may be %j", (format_extension) => {
    expect(newResourceTypeSchema.safeParse({ name: "c_ini", format_extension }).success).toBe(true);
    expect(resourceTypeChangeSchema.safeParse({ format_extension }).success).toBe(true);
  });

  it.each(["../../x", "a/b", "a\\b", "..", ".", ".ini", "ini.", "a..b", "a b", "a\0b", "a:b", "\u202etxt", "a".repeat(21)])(
    "may not be %j",
    (format_extension) => {
      expect(newResourceTypeSchema.safeParse({ name: "c_ini", format_extension }).success).toBe(false);
      expect(resourceTypeChangeSchema.safeParse({ format_extension }).success).toBe(false);
    },
  );
});
