import { describe, expect, it } from "vitest";
import { namedFields, unnamed } from "../parts/people/named.ts";
import { type ComparedField, combineVersions, differingFields } from "../parts/stored/compared-fields.ts";
import { appFields, newApp } from "./apps/app.ts";
import { newType, typeFields } from "./resource-types/resource-type.ts";
import { newResource, resourceFields } from "./resources/resource.ts";
import { newRoute, routeFields } from "./routes/route.ts";
import { newSchedule, scheduleFields } from "./schedules/schedule.ts";
import { newTrigger, triggerFields } from "./triggers/trigger.ts";
import { newVariable, variableFields } from "./variables/variable.ts";

interface Kind {
  values: object;
  /** The compared fields of these values. */
  fields: unknown;
  /** Other values of the fields that have few of them. */
  others?: Readonly<Record<string, unknown>>;
  /** Values of the form that belong to the service, or only explain others. */
  apart?: readonly string[];
}

const kinds: Record<string, Kind> = {
  variable: { values: { ...newVariable, isSecret: false }, fields: variableFields },
  resource: { values: newResource, fields: resourceFields },
  "resource type": { values: newType, fields: typeFields },
  app: { values: newApp, fields: appFields, others: { policy: { execution_mode: "publisher" } }, apart: ["message", "storedValue"] },
  schedule: { values: newSchedule, fields: scheduleFields, apart: ["runsAs", "keepableArgs"] },
  trigger: { values: newTrigger, fields: triggerFields, others: { kind: "topic" }, apart: ["runsAs", "address"] },
  "HTTP route": {
    values: newRoute,
    fields: routeFields,
    others: { serving: "site", requestType: "async", authentication: "none" },
    apart: ["runsAs", "others"],
  },
  "folder and group": { values: unnamed, fields: namedFields, apart: ["name"] },
};

/** Returns another value of the same type. */
function changed(value: unknown, mark: string): unknown {
  if (typeof value === "boolean") return !value;
  if (Array.isArray(value)) return [mark];
  return typeof value === "object" && value !== null ? { [mark]: 1 } : mark;
}

describe.each(Object.entries(kinds))("a conflict of two people over a %s", (_, { values, fields: typed, others = {}, apart = [] }) => {
  const fields = typed as readonly ComparedField<Record<string, unknown>>[];
  const base = values as Record<string, unknown>;
  const compared = fields.flatMap(({ keys }) => keys);

  it("compares every value of the form", () => {
    expect(Object.keys(base).filter((name) => !compared.includes(name) && !apart.includes(name))).toEqual([]);
  });

  it.each(fields.map((field) => [field.label, field] as const))(
    "keeps %s of the person who has changed it",
    (label, { keys: [key = ""] }) => {
      const edited = { ...base, [key]: others[key] ?? changed(base[key], "edited") };
      expect(differingFields(fields, { mine: edited, theirs: base, base }).map((field) => field.label)).toContain(label);
      expect(combineVersions(fields, { mine: edited, theirs: base }, {})[key]).toEqual(edited[key]);
      const theirs = differingFields(fields, { mine: base, theirs: edited, base }).find((field) => field.label === label);
      expect(theirs?.suggested).toBe("theirs");
      expect(combineVersions(fields, { mine: base, theirs: edited }, { [label]: "theirs" })[key]).toEqual(edited[key]);
    },
  );
});
