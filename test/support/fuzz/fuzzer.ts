import pMap from "p-map";
import { defined } from "../../../contract/defined.ts";
import { EDGE_KEY_HEADER } from "../../../contract/env.ts";
import type { RouteFunction } from "../../../contract/route.ts";
import { routes } from "../../../contract/routes/routes.ts";
import type { Reply } from "../../../functions/shared/reply/reply.ts";
import { type Handler, loadFunctions } from "./deployed-functions.ts";
import { EDGE_KEY, lambdaContext, type Sent, toGatewayEvent } from "./gateway-event.ts";
import { hostileJsonValues, SECRET } from "./hostile-values.ts";
import { endsCaller, fillPath, listOperations, type Operation, sample } from "./operations.ts";
import { newPlayground } from "./playground.ts";
import { createReplyCheck } from "./reply-check.ts";

/** A call of an operation. Absent parts are valid. */
export interface FuzzCall {
  what: string;
  operation: Operation;
  params?: Readonly<Record<string, string>>;
  /** Parts as they stand in the path, without further encoding. */
  rawParams?: Readonly<Record<string, string>>;
  query?: Sent["query"];
  headers?: Sent["headers"];
  body?: Buffer | string | undefined;
  isBase64?: boolean | undefined;
  method?: string;
  /** The key of CloudFront. Default: the right one. */
  edgeKeys?: readonly string[];
  /** Sends no token. */
  anonymous?: boolean;
  /** The statuses that the call may have. Default: all that the operation documents. */
  expected?: readonly number[] | undefined;
}

/** Calls that are in progress at the same time. Some wait a second for a flow that no worker runs. */
const AT_ONCE = 16;

/** Calls the handlers of all functions in this process and collects the faults of their responses. */
export async function newFuzzer() {
  const names = [...new Set(Object.values(routes).map(({ fn }) => fn))] as RouteFunction[];
  const { handlers, close } = await loadFunctions(names);
  const playground = await newPlayground(handlers);
  const check = createReplyCheck();
  const operations = listOperations(playground, hostileJsonValues);
  let token = "";
  const valid = new Map(operations.map((operation) => [operation, validCall(operation)]));
  let calls = 0;
  const succeeded = new Set<string>();

  async function send(call: FuzzCall): Promise<string[]> {
    const { route } = call.operation;
    const base = valid.get(call.operation) ?? validCall(call.operation);
    // Such an operation would end the token or the workspace of all other calls.
    const own = endsCaller(route)
      ? { token: await playground.newToken(), params: { workspace: await playground.newWorkspace() } }
      : { token };
    const sentToken = call.anonymous ? undefined : own.token;
    const body = "body" in call ? call.body : base.body;
    const sent: Sent = {
      method: call.method ?? route.method,
      path: fillPath(route, { ...base.params, ...call.params, ...own.params }, call.rawParams),
      query: [...(call.query ?? base.query)],
      headers: [
        ...(sentToken === undefined ? [] : [["Authorization", `Bearer ${sentToken}`] as const]),
        ...(body === undefined ? [] : [["Content-Type", "application/json"] as const]),
        // CloudFront replaces the header of a caller.
        ...(call.headers ?? []).filter(([name]) => name.toLowerCase() !== EDGE_KEY_HEADER),
        ...(call.edgeKeys ?? [EDGE_KEY]).map((key) => [EDGE_KEY_HEADER, key] as const),
      ],
      ...defined({ body, isBase64: call.isBase64 }),
    };
    calls += 1;
    const reply = await invoke(handlers.get(route.fn), sent);
    if (reply instanceof Error) return [`the handler throws ${reply.message}`];
    const faults = check(route, reply);
    if (reply && reply.statusCode < 400) succeeded.add(route.name);
    if (call.expected && !call.expected.includes(reply?.statusCode ?? 0)) faults.push(`the status is ${reply?.statusCode}`);
    const text = JSON.stringify(reply);
    if (text.includes(SECRET)) faults.push("the response repeats the token");
    if (text.includes(EDGE_KEY)) faults.push("the response repeats the key of CloudFront");
    return [...faults, ...(await describeStream(reply))];
  }

  return {
    operations,
    close,
    /** The number of calls so far. */
    countCalls: () => calls,
    /** Returns whether any call of an operation was not refused. */
    hasSucceeded: (name: string) => succeeded.has(name),
    /** Sends calls, and returns the faults of their responses: one line for each operation and fault, with the first call that has it. */
    async sendAll(list: readonly FuzzCall[]): Promise<string[]> {
      const found = new Map<string, { what: string; count: number }>();
      const sendOne = async (call: FuzzCall) => {
        for (const fault of await send(call)) {
          const line = `${call.operation.route.name}: ${fault}`;
          const { what, count } = found.get(line) ?? { what: call.what, count: 0 };
          found.set(line, { what, count: count + 1 });
        }
      };
      token = await playground.newToken();
      const { last = [], first = [] } = Object.groupBy(list, ({ operation }) => (endsCaller(operation.route) ? "last" : "first"));
      for (const part of [first, last]) await pMap(part, sendOne, { concurrency: AT_ONCE });
      return [...found].map(([line, { what, count }]) => `${line}, ${count} times, first if ${what}`).toSorted();
    },
  };
}
export type Fuzzer = Awaited<ReturnType<typeof newFuzzer>>;

async function invoke(handler: Handler | undefined, sent: Sent): Promise<Reply | Error | undefined> {
  try {
    return await handler?.(toGatewayEvent(sent), lambdaContext);
  } catch (error) {
    return error as Error;
  }
}

/** Reads the first event of a stream. */
async function describeStream(reply: Reply | undefined): Promise<string[]> {
  if (!reply?.chunks) return [];
  const gone = new AbortController();
  const chunks = reply.chunks(gone.signal);
  const { value } = await chunks.next();
  gone.abort();
  await chunks.return(undefined);
  return value === undefined || /^(:|id: |data: |event: )/.test(value) ? [] : [`a stream begins with ${value.slice(0, 50)}`];
}

/** Parts that name existing objects, the required query parameters, and a body that the schema allows. */
function validCall({ params, requiredQuery, body }: Operation) {
  const json = body ? sample(body, 1)[0] : undefined;
  return {
    params: sample(params, 1)[0] ?? {},
    query: sample(requiredQuery, 1)[0] ?? [],
    body: json === undefined ? undefined : Buffer.from(JSON.stringify(json)),
  };
}
