import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type JobField, type JobFields, jobFields, tableIndexes } from "./fields.ts";

const rows = Object.entries<JobField>(jobFields);

describe("the table of a job's fields", () => {
  it("does not compile with a field whose visibility it does not state, or with a name in the JSON for an internal field", () => {
    const row = { stored: "x", schema: z.string() };
    const rows = [
      // @ts-expect-error A field states who sees it.
      { x: row } satisfies JobFields,
      // @ts-expect-error No reply shows an internal field.
      { x: { ...row, seenBy: "internal", json: "tag" } as const } satisfies JobFields,
      // @ts-expect-error The contract has no field of this name.
      { x: { ...row, seenBy: "readers", json: "nowhere" } as const } satisfies JobFields,
    ];
    expect(rows).toHaveLength(3);
  });

  it("gives each field an attribute, of which no two fields or keys of indexes share one", () => {
    const keys = Object.values(tableIndexes).flatMap(({ partitionKey, sortKey }) => [partitionKey.name, sortKey.name]);
    const computed = new Set(keys.filter((key) => key !== jobFields.parent.stored));
    const attributes = [...rows.map(([, { stored }]) => stored), ...computed, "sk"];
    expect(attributes.filter((name, at) => attributes.indexOf(name) !== at)).toEqual([]);
  });

  it("gives no two fields the same name in the JSON", () => {
    const shown = rows.flatMap(([, field]) => ("json" in field ? [field.json] : []));
    expect(new Set(shown).size).toBe(shown.length);
  });
});
