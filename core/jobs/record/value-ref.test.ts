import { describe, expect, it } from "vitest";
import { valueRefSchema } from "./value-ref.ts";

const location = { in: "head" as const, json: "1" };

describe("a reference to a stored value", () => {
  it("is read as it was written, and as release 0.1 wrote it", () => {
    const ref = { jobId: "job-1", location, redacted: { in: "item" as const, ref: "shown#a" } };
    expect(valueRefSchema.parse(ref)).toEqual(ref);
    expect(valueRefSchema.parse({ of: "job-1", place: location, shown: ref.redacted })).toEqual(ref);
    expect(valueRefSchema.parse({ of: "job-1", place: location })).toEqual({ jobId: "job-1", location });
  });

  it("is refused without its job or its location", () => {
    for (const value of [null, "job-1", {}, { jobId: "job-1" }, { of: "job-1" }])
      expect(valueRefSchema.safeParse(value).success).toBe(false);
  });
});
