import * as z from "zod";
import { inWorkspace } from "../../common.ts";
import { limits } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { triggerKindSchema } from "../triggers/trigger-kind.ts";

/** A reply carries this header with the value `true` if objects or sources are missing in it. */
export const INCOMPLETE_HEADER = "x-svc-incomplete";

const searchKinds = ["script", "flow", "app", "resource", "variable", "schedule", "trigger"] as const;
export type SearchKind = (typeof searchKinds)[number];
const isKind = (name: string): name is SearchKind => (searchKinds as readonly string[]).includes(name);

const listOfKinds = z
  .string()
  .max(200)
  .transform((text) => text.split(",").filter((name) => name !== ""))
  .pipe(z.array(z.string().refine(isKind, `must be one of ${searchKinds.join(", ")}`)))
  .transform((names) => names.filter(isKind));

const matchSchema = z.object({ field: z.enum(["path", "summary", "description", "source"]), text: z.string() });
const resultSchema = z.object({
  kind: z.enum(searchKinds),
  trigger_kind: triggerKindSchema.optional(),
  path: z.string(),
  summary: z.string(),
  matches: z.array(matchSchema),
});
export type SearchResultJson = z.input<typeof resultSchema>;

const searchQuery = z.object({
  q: z
    .string()
    .trim()
    .min(2)
    .max(200)
    .optional()
    .describe(
      "Words that must all be in the path, the summary or the description, or, from three characters, a phrase in the source of a script or flow. Case is ignored.",
    ),
  kinds: listOfKinds.optional().describe(`Some of ${searchKinds.join(", ")}, separated by commas. Default: all.`),
  page: z.coerce.number().int().min(0).max(100_000).optional(),
  per_page: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe(`At most ${limits.maxPerPage}, and without \`q\` ${limits.searchListed}.`),
});
export type SearchQuery = z.output<typeof searchQuery>;

export const searchRoutes = {
  search: defineRoute({
    method: "GET",
    fn: "console",
    auth: "token",
    status: 200,
    name: "search.list",
    summary:
      "Search the paths, summaries, descriptions and sources of the objects that you may read, without values. Without `q`, list all of them by path. " +
      `The header \`${INCOMPLETE_HEADER}\` says that results may be missing: the index is being built, or too many sources may contain the phrase.`,
    path: "/api/w/{workspace}/search",
    access: { domain: "scripts", verb: "read", need: "read", target: "list" },
    params: inWorkspace,
    query: searchQuery,
    reply: { json: z.array(resultSchema) },
    errors: [],
  }),
};
