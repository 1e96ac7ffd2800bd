import { domainApi } from "../shared/edge/domain-api.ts";
import { favorites } from "./favorites.ts";
import { mentions } from "./mentions.ts";
import { search } from "./search.ts";
import { views } from "./views.ts";

/** Stars and views of users, the search, and the list of what uses an object. */
export const handler = domainApi([...favorites, ...views, ...search, ...mentions]);
