import type { WebhookJson } from "../../../../../contract/routes/events/webhooks.ts";
import { Refused } from "../../../shared/service.ts";
import { webhooksText } from "../../messages/webhooks.ts";

type Version = Pick<WebhookJson, "id" | "edited_at" | "edited_by" | "url" | "events" | "paths" | "enabled">;

/** Describes the stored values, which the form would replace. */
const describe = ({ url, events, paths, enabled }: Version): string =>
  webhooksText.nowIs(url, events?.join(", ") ?? webhooksText.allTypes, paths?.join(", "), enabled);

/**
 * Throws if someone has changed an endpoint since the page read it, with the stored values, once for each change: the next save replaces it. `seen` is the endpoint that
 * the page shows, or undefined if there was none.
 */
export async function checkUnchanged(
  { list }: { list: () => Promise<readonly Version[]> },
  id: string,
  seen: Version | undefined,
  noticed: Set<string>,
): Promise<void> {
  const present = (await list()).find((webhook) => webhook.id === id);
  const version = present ? `${present.edited_at} ${present.edited_by}` : "removed";
  if (present?.edited_at === seen?.edited_at || noticed.has(version)) return;
  noticed.add(version);
  throw new Refused(
    409,
    "",
    webhooksText.changedMeanwhile(present?.edited_by ?? webhooksText.someone, present ? describe(present) : webhooksText.nowRemoved),
  );
}
