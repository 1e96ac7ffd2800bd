import { setTimeout as sleep } from "node:timers/promises";
import { assumedMs, prices } from "../../core/cost/prices.ts";
import { gbSeconds, price } from "../cost/cost.ts";
import { type FunctionLogs, functionLogs, type Logged } from "../cost/counted.ts";
import { type FlowModule, type Flows, light, saveFlow, startFlow } from "../flows/flow-runs.ts";
import { historiesOf } from "../flows/history.ts";
import { asking, isOver, linkOf, until, visit, waits } from "./waiting-flow.ts";

type Approving = Flows & { endpoint: string };

/** A way to decide. */
export interface Way {
  name: string;
  /** The step that waits. */
  module: FlowModule;
  /** Prepares the decision of a flow that waits, and returns what decides. */
  prepare: (id: string) => Promise<() => Promise<void>>;
  /** The requests of the REST API that an approval needs. */
  restRequests: number;
  /** The GB-seconds besides those of the functions that decide. */
  moreGbSeconds?: (logs: FunctionLogs) => number;
}

/** An approval by a link. One request creates the link, and the other one decides. */
export const byLink = (flows: Flows): Way => ({
  name: "asked",
  module: asking,
  prepare: async (id) => {
    const link = await linkOf(flows, id);
    return () => visit(link);
  },
  restRequests: 2,
});

const FUNCTIONS = /StepFn|ApproveFn|DeliverFn|ChatFn/;

/** Measures the functions, requests and state transitions that an approval adds to a flow, and their price in dollars. */
export async function priceApproval(approving: Approving, { name, module, prepare, restRequests, moreGbSeconds }: Way) {
  const { endpoint, quick } = approving;
  const logs = await functionLogs(endpoint);
  const runs = quick ? 1 : 10;
  const counted = async (path: string, decides: boolean): Promise<{ logged: Logged; transitions: number }> => {
    const fromMs = Date.now();
    const all: { id: string; decide: () => Promise<void> }[] = [];
    for (let at = 0; at < runs; at += 1) {
      const id = await startFlow(approving, path);
      if (decides) await until(approving, id, waits, 500);
      all.push({ id, decide: decides ? await prepare(id) : async () => {} });
    }
    for (const { decide } of all) await decide();
    const arns: string[] = [];
    for (const { id } of all) {
      const { execution } = await until(approving, id, isOver, 500);
      if (execution) arns.push(...execution.earlier, execution.arn);
    }
    await sleep(1000);
    return { logged: await logs.since(fromMs, FUNCTIONS), transitions: (await historiesOf(endpoint, arns)).transitions };
  };
  const last = light("after", "10");
  const without = await counted(await saveFlow(approving, "unasked", [{ ...asking, suspend: null }, last]), false);
  const asked = await counted(await saveFlow(approving, name, [module, last]), true);
  const more = (of: (logged: Logged) => number) => (of(asked.logged) - of(without.logged)) / runs;
  const requests = Object.fromEntries(
    [...new Set([...Object.keys(asked.logged.counts.requests), ...Object.keys(without.logged.counts.requests)])].map((request) => [
      request,
      more(({ counts }) => counts.requests[request] ?? 0),
    ]),
  );
  const transitions = (asked.transitions - without.transitions) / runs;
  const calls = more(({ lines }) => lines);
  const counts = {
    requests,
    readUnits: more((logged) => logged.counts.readUnits),
    writeUnits: more((logged) => logged.counts.writeUnits),
    indexWriteUnits: more((logged) => logged.counts.indexWriteUnits),
  };
  const batches = Math.max(0, requests["dynamodb.BatchGetItem"] ?? 0);
  const used = gbSeconds(logs, /ApproveFn/, calls * assumedMs.execute) + (moreGbSeconds?.(logs) ?? 0);
  const dollars =
    price(counts, counts.readUnits + batches * 4, { requests: calls, gbSeconds: used }) +
    transitions * prices.stateTransition +
    restRequests * prices.restApiRequest +
    (requests["sns.Publish"] ?? 0) * prices.snsPublish;
  return { requests, transitions, dollars };
}
