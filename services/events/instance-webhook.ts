import { INSTANCE } from "../../contract/common.ts";
import { SvcError } from "../../contract/errors.ts";
import { TEST_EVENT } from "../../contract/events.ts";
import { type Endpoint, INSTANCE_ENDPOINT } from "../../core/events/endpoint.ts";
import type { Actor } from "../../core/people/actor.ts";
import { buildEventWrite } from "../outbox/event.ts";
import { loadInstanceEndpoint, putInstanceEndpoint } from "../outbox/instance-event.ts";
import type { Uses } from "../uses.ts";

/** Lists the endpoint that receives the events of the instance; an empty list without a receiver. */
export async function listInstanceEndpoints(deps: Uses<"objects" | "nowMs" | "instanceEventsUrl">): Promise<Endpoint[]> {
  const found = await loadInstanceEndpoint(deps);
  return found ? [found.endpoint] : [];
}

/** Sends a test to the receiver of the events of the instance, and returns the id of its event. Throws `webhook.notFound`. */
export async function testInstanceEndpoint(deps: Uses<"objects" | "nowMs" | "instanceEventsUrl">, { email }: Actor): Promise<string> {
  const found = await loadInstanceEndpoint(deps);
  if (!found) throw new SvcError("webhook.notFound", { id: INSTANCE_ENDPOINT });
  const event = { type: TEST_EVENT, workspace: INSTANCE, by: email, atMs: deps.nowMs(), data: { endpoint: INSTANCE_ENDPOINT } };
  const { id, write } = buildEventWrite(event);
  await deps.objects.transactWrite([...(found.isStored ? [] : [putInstanceEndpoint(found.endpoint)]), write]);
  return id;
}
