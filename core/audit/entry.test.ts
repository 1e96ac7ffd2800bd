import { describe, expect, it } from "vitest";
import { createSecretReadEntries } from "./entry.ts";

describe("audit entries of secrets", () => {
  const job = { id: "019a0000-0000-7000-8000-000000000000", workspace: "w" };

  it("a repeated read of a secret yields one entry for each job and path", () => {
    const first = createSecretReadEntries(job, "ann", ["f/a/b", "f/a/c"], 1_700_000_000_000);
    expect(createSecretReadEntries(job, "ann", ["f/a/b", "f/a/c"], 1_700_000_000_000)).toEqual(first);
    const others = createSecretReadEntries({ ...job, id: "019a0000-0000-7000-8000-000000000001" }, "ann", ["f/a/b"], 1_700_000_000_000);
    expect(new Set([...first, ...others].map(({ id }) => id)).size).toBe(3);
  });

  it("entries are sorted by time", () => {
    const [early] = createSecretReadEntries(job, "ann", ["f/a/b"], 1_700_000_000_000);
    const [late] = createSecretReadEntries(job, "ann", ["f/a/b"], 1_700_000_000_001);
    expect(String(early?.id) < String(late?.id)).toBe(true);
    expect(early).toMatchObject({ timestamp: "2023-11-14T22:13:20.000Z", resource: "f/a/b", parameters: { job: job.id } });
  });
});
