import * as z from "zod";
import { favoriteKind } from "../../contract/routes/console/favorites.ts";
import { defineObject, inWorkspace, type ValueOf } from "../objects/define-object.ts";

/** The objects that a user has starred in a workspace, the last starred at the end. One item contains them, so that lists read them at once. */
export const favoritesObject = defineObject({
  name: "list of favorites",
  partition: "FAVORITES",
  ...inWorkspace,
  sort: (person: string) => person,
  schema: z.array(z.object({ kind: favoriteKind, path: z.string() })),
});

type Favorites = ValueOf<typeof favoritesObject>;
export type Favorite = Favorites[number];

/** Returns whether a list of favorites contains an object. */
export const isStarred = (favorites: Favorites, { kind, path }: Favorite): boolean =>
  favorites.some((each) => each.kind === kind && each.path === path);

/** Returns the favorites without an object. */
export const removeFavorite = (favorites: Favorites, { kind, path }: Favorite): Favorites =>
  favorites.filter((each) => each.kind !== kind || each.path !== path);
