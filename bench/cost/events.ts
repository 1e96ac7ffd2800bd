import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { prices } from "../../core/cost/prices.ts";
import type { HttpClient } from "../http-client.ts";
import type { Row } from "../table.ts";
import { perJob } from "./cost.ts";
import { functionLogs } from "./counted.ts";

/**
 * The price of events for a workspace without an endpoint. The update of a variable queries one partition, that of the endpoints, so all its
 * queries belong to events. It writes nothing for them (services/outbox/event.usecase.test.ts).
 */
export async function eventCostRows({
  client,
  endpoint,
  workspace,
  quick,
}: {
  client: HttpClient;
  endpoint: string;
  workspace: string;
  quick: boolean;
}): Promise<Row[]> {
  const changes = quick ? 1 : 20;
  const path = `f/bench/events_${randomUUID().slice(0, 8)}`;
  const variable = (at: number) => ({ path, value: `value ${at}`, is_secret: false, description: "" });
  await client.ask.variables.create({ workspace, body: variable(0) });
  const logs = await functionLogs(endpoint);
  await sleep(300);
  const fromMs = Date.now();
  for (let at = 0; at < changes; at++) await client.ask.variables.update({ workspace, path, body: { value: `value ${at + 1}` } });
  await sleep(300);
  const { counts } = perJob(await logs.since(fromMs, /ObjectsApiFn/), changes);
  const queries = counts.requests["dynamodb.Query"] ?? 0;
  return [
    {
      line: "a change without an endpoint: list price of its events",
      // A strongly consistent query that finds nothing is one unit.
      value: queries * prices.readUnit * 1e6,
      unit: "$/M",
      note: `${queries} Query, no write`,
      target: { atMost: 0.5 },
    },
  ];
}
