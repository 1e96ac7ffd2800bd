import * as z from "zod";
import { anyPath, inWorkspace } from "../../common.ts";
import { kindsWith } from "../../kinds/kinds.ts";
import { defineRoute } from "../../route.ts";

const w = "/api/w/{workspace}/favorites";
const route = { fn: "console", auth: "token", status: 200, params: inWorkspace } as const;
/** Every member has stars. The body names the object, and reading it needs the scope of its kind. */
const named = { domain: "scripts", verb: "write", need: "member", target: "request", personal: true } as const;

export const favoriteKind = z.enum(kindsWith("hasVersions"));
export type FavoriteKind = z.output<typeof favoriteKind>;
const favoriteBody = z.object({ path: anyPath, favorite_kind: favoriteKind });
const favoriteSchema = z.object({ path: z.string(), kind: favoriteKind, summary: z.string() });
export type FavoriteJson = z.input<typeof favoriteSchema>;

/** The scripts, flows and apps that a user has starred in a workspace (api.md §8). No other user sees them. */
export const favoriteRoutes = {
  starObject: defineRoute({
    ...route,
    method: "POST",
    name: "favorites.star",
    summary: "Star a script, a flow or an app that you may read.",
    path: `${w}/star`,
    access: named,
    audits: "nothing",
    body: favoriteBody,
    reply: { text: "A confirmation." },
    errors: ["script.notFound", "flow.notFound", "app.notFound", "favorite.tooMany", "favorite.changedMeanwhile"],
  }),
  unstarObject: defineRoute({
    ...route,
    method: "POST",
    name: "favorites.unstar",
    summary: "Remove the star from a script, a flow or an app. Nothing happens if it has none.",
    path: `${w}/unstar`,
    access: named,
    audits: "nothing",
    body: favoriteBody,
    reply: { text: "A confirmation." },
    errors: ["favorite.changedMeanwhile"],
  }),
  listFavorites: defineRoute({
    ...route,
    method: "GET",
    name: "favorites.list",
    summary: "List your starred scripts, flows and apps that exist and that you may read, the last starred first.",
    path: `${w}/list`,
    access: { domain: "scripts", verb: "read", need: "read", target: "list", personal: true },
    reply: { json: z.array(favoriteSchema) },
    errors: [],
  }),
};
