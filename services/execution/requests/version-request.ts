import type { Payload } from "../../../contract/payload.ts";
import type { PayloadQuery } from "../../../contract/routes/jobs/runs.ts";
import { parseArguments } from "../../../core/payload/arguments.ts";
import { findDeliveryId } from "../../../core/payload/delivery.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { findIdempotencyKey } from "../../jobs/queue/idempotency-key.ts";
import type { Uses } from "../../uses.ts";
import { buildJobOptions, type RunTarget, requestVersion, type VersionRunCall } from "./run-request.ts";

/** A call of a script's or flow's webhook. */
interface VersionCall {
  actor: Actor;
  query: PayloadQuery;
  payload: Payload;
}

/**
 * Returns the trigger of a run that a page of this service starts with the session of its reader. Browsers set the header, and no page can change
 * it. The runs of other callers are those of webhooks.
 */
export const findPageTrigger = ({ "sec-fetch-site": site, authorization }: Payload["headers"]): "ui" | undefined =>
  site === "same-origin" && authorization === undefined ? "ui" : undefined;

interface VersionRequestOptions {
  /** Headers that every run receives as arguments, in lower case. */
  includedHeaders: readonly string[];
}

/** Returns the request to run a stored version with the arguments of a call. Throws `payload.*`, `body.*` and `idempotency.key`. */
export async function buildVersionRequest(
  deps: Uses<"jobs">,
  target: RunTarget,
  { actor, query, payload }: VersionCall,
  { includedHeaders }: VersionRequestOptions,
): Promise<VersionRunCall> {
  const { workspace, path, preprocessor } = target.version;
  const onceByWebhookId = target.kind === "script" && target.version.onceByWebhookId === true;
  // A running job sends arguments for `main`. Preprocessors handle external calls only.
  const preprocessed = preprocessor !== undefined && !query.skip_preprocessor && actor.kind === "person";
  const callArguments = await parseArguments(payload, {
    wrapBody: query.wrap_body ?? false,
    raw: query.raw ?? false,
    headers: [...includedHeaders, ...(query.include_header ?? [])],
    query: query.include_query ?? [],
    event: preprocessed,
  });
  const { idempotency_from: from, idempotency_ttl: ttl } = query;
  const delivery = from === undefined ? undefined : { id: findDeliveryId({ from }, payload.headers, callArguments), ttlS: ttl };
  // A script and a flow may have the same path.
  const scope = [workspace, actor.email, ...(target.kind === "flow" ? ["flow"] : []), path];
  const options = await buildJobOptions(deps, actor, workspace, query);
  const idempotencyKey = findIdempotencyKey(payload.headers, scope, callArguments, { onceByWebhookId, delivery });
  return requestVersion({ target, arguments: callArguments }, { ...options, idempotencyKey, trigger: findPageTrigger(payload.headers) });
}
