import { createClient } from "../../../../contract/client/client.ts";
import { favoriteOperations, searchOperations } from "../../../../contract/client/operations/console.ts";
import { send } from "../../shared/service.ts";

/** The calls for stars and for the search in sources, which few pages need. */
export const { call } = createClient({ ...favoriteOperations, ...searchOperations }, send);
