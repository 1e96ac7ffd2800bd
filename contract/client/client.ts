import type { CallArguments, Nested, OperationName, Reply } from "./operation.ts";
import { type AnyInput, type ApiRequest, type Operations, toRequest } from "./request.ts";

/** A successful answer. */
export interface Answer<T = unknown> {
  status: number;
  headers: Headers;
  /** The parsed JSON or the text. */
  value: T;
}

// Each operation has its function. One function with the name as an argument would be a generic one, and the compiler would compare its input with that of
// every route.
/** A function for each operation, by the words of its name: `calls.variables.get({ path })` returns the value of the reply. */
export type Calls<N extends OperationName = OperationName, Bound extends string = never> = Nested<{
  [M in N]: (...input: CallArguments<M, Bound>) => Promise<Reply<M>>;
}>;
/** The same functions, which return the answer with its status and headers. */
export type Asks<N extends OperationName = OperationName, Bound extends string = never> = Nested<{
  [M in N]: (...input: CallArguments<M, Bound>) => Promise<Answer<Reply<M>>>;
}>;

/** Returns a function for each operation, by the words of its name. `call` receives the name and the input. */
export function nest<T, N extends string>(operations: Operations<N>, call: (name: N, input: AnyInput) => unknown): T {
  const root: Record<string, unknown> = {};
  for (const name of Object.keys(operations) as N[]) {
    const words = name.split(".");
    const last = words.pop() ?? "";
    let parent = root;
    for (const word of words) {
      parent[word] ??= {};
      parent = parent[word] as Record<string, unknown>;
    }
    // A name may begin with another one: `jobs.runWait.scripts` and `jobs.runWait.scripts.get`.
    parent[last] = Object.assign((input: AnyInput = {}) => call(name, input), parent[last]);
  }
  return root as T;
}

/**
 * Creates a client of some operations. `send` is its transport: it sends a request to a service, and throws an error unless the answer is a success.
 * `bound`: the parts of addresses that the client knows.
 *
 * @example
 * const { call } = createClient(operations, send, { workspace: "demo" });
 * const { value } = await call.variables.get({ path: "f/app/key" });
 */
export function createClient<N extends OperationName, Bound extends string = never>(
  operations: Operations<N>,
  send: (request: ApiRequest) => Promise<Answer>,
  bound?: Readonly<Record<Bound, string>>,
): { call: Calls<N, Bound>; ask: Asks<N, Bound> } {
  const ask = (name: N, input: AnyInput) => send(toRequest(operations, name, { ...bound, ...input }));
  return { call: nest(operations, async (name, input) => (await ask(name, input)).value), ask: nest(operations, ask) };
}

/** Returns the value of a response: its JSON or its text. */
export function readValue(contentType: string | null | undefined, text: string): unknown {
  return contentType?.startsWith("application/json") ? (JSON.parse(text) as unknown) : text;
}
