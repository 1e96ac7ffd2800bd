import { domainApi } from "../shared/edge/domain-api.ts";
import { favorites } from "./favorites.ts";
import { preferences } from "./preferences.ts";
import { search } from "./search.ts";
import { views } from "./views.ts";

/** Stars, views and preferences of users, and the search. */
export const handler = domainApi([...favorites, ...views, ...preferences, ...search]);
