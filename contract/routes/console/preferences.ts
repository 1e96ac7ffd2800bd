import * as z from "zod";
import { workspaceId } from "../../common.ts";
import { limits } from "../../limits.ts";
import { defineRoute } from "../../route.ts";

const route = { fn: "people", auth: "token", status: 200, path: "/api/account/preferences" } as const;
const self = { domain: "users", need: "self", target: "none", personal: true } as const;

/** The name of a hint. With the limit of their number, all fields together have at most 8 KB. */
const hint = z.string().regex(/^[a-z0-9][a-z0-9_.-]{0,59}$/, "lower-case letters, digits, '.', '-' and '_', at most 60");

function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    // A name that is unknown to the runtime.
    return false;
  }
}

export const preferencesSchema = z.object({
  theme: z.enum(["light", "dark", "system"]).optional(),
  timezone: z.string().max(100).refine(isTimezone, "must be an IANA time zone").optional().describe("Absent: that of the browser."),
  dismissed_hints: z.array(hint).max(limits.dismissedHints).optional(),
  last_workspace: workspaceId.optional(),
});
export type PreferencesJson = z.output<typeof preferencesSchema>;
/** Omitted fields remain, and null removes one. */
const changeSchema = z.object({
  theme: preferencesSchema.shape.theme.nullable(),
  timezone: preferencesSchema.shape.timezone.nullable(),
  dismissed_hints: preferencesSchema.shape.dismissed_hints.nullable(),
  last_workspace: preferencesSchema.shape.last_workspace.nullable(),
});
export type PreferencesChange = z.output<typeof changeSchema>;

/** The preferences of a user in the console (api.md §8), in every workspace. */
export const preferenceRoutes = {
  getPreferences: defineRoute({
    ...route,
    method: "GET",
    name: "account.getPreferences",
    summary: "Get your preferences in the console.",
    access: { ...self, verb: "read" },
    reply: { json: preferencesSchema },
    errors: [],
  }),
  editPreferences: defineRoute({
    ...route,
    method: "POST",
    name: "account.editPreferences",
    summary: "Change your preferences in the console. Omitted fields remain, and null removes one.",
    access: { ...self, verb: "write" },
    audits: "nothing",
    body: changeSchema,
    reply: { json: preferencesSchema },
    errors: ["preferences.changedMeanwhile"],
  }),
};
