import { defined } from "../../contract/defined.ts";
import { NEXT_CURSOR_HEADER, PARTIAL_COUNT_HEADER } from "../../contract/routes/jobs/job-lists.ts";
import type { ListPage } from "../../services/jobs/read/lists/list.ts";
import { json } from "../shared/reply/reply.ts";

/** Sends a page of a list, and in a header the cursor of the next one. Another header marks an empty page after which more may match. */
export const pageReply = <Entry>({ entries, next }: ListPage<Entry>) =>
  json(200, entries, {
    ...defined({ [NEXT_CURSOR_HEADER]: next }),
    ...(next !== undefined && entries.length === 0 ? { [PARTIAL_COUNT_HEADER]: "true" } : {}),
  });
