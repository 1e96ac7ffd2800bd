import { inject } from "vitest";
import { nest } from "../../../contract/client/client.ts";
import type { CallInput, Nested, OperationName, Reply } from "../../../contract/client/operation.ts";
import { operations } from "../../../contract/client/operations/all.ts";
import { type AnyInput, toRequest } from "../../../contract/client/request.ts";
import { defined } from "../../../contract/defined.ts";
import type { SharedInstance } from "../engine/global-setup.ts";

/** The instance that all end-to-end tests share. */
export function shared(): SharedInstance {
  return inject("svc");
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body, or `undefined` if it is not JSON. Tests state its type with `as`. */
  json: unknown;
}

export interface CallOptions {
  /** Sent as JSON, unless it is a string, bytes or a form. */
  body?: unknown;
  headers?: Record<string, string>;
  query?: Record<string, string | number | boolean>;
  /** A token other than the client's; empty for no token. */
  token?: string;
  signal?: AbortSignal;
}

/** The answer to an operation. `json`: the value of a successful reply. */
export interface AnswerTo<N extends OperationName> extends Answer {
  json: Reply<N>;
}

/** The input of an operation. The body is any value, because tests also send what the service refuses. */
type Input<N extends OperationName, Bound extends string> = Omit<CallInput<N, Bound>, "body"> & { body?: unknown };

/** A function for each operation of the API. `Bound`: the parts of addresses that the client knows. */
export type Operations<Bound extends string = never> = Nested<{
  [N in OperationName]: (
    ...input: Record<never, never> extends Input<N, Bound> ? [input?: Input<N, Bound>] : [input: Input<N, Bound>]
  ) => Promise<AnswerTo<N>>;
}>;

export interface Api {
  url: string;
  token: string;
  ask: Operations;
  /** A client of the same service with another token. */
  as(token: string): Api;
  /** `route` follows `/api/`. */
  call(method: string, route: string, options?: CallOptions): Promise<Answer>;
  get(route: string, query?: CallOptions["query"]): Promise<Answer>;
  post(route: string, body?: unknown, query?: CallOptions["query"]): Promise<Answer>;
}

export function api({ url, token }: { url: string; token: string } = shared()): Api {
  return apiBy(fetch, { url, token });
}

/** Returns a client that sends its requests by `send`. */
export function apiBy(send: (request: Request) => Promise<Response>, { url, token }: { url: string; token: string }): Api {
  const call = async (method: string, route: string, options: CallOptions = {}): Promise<Answer> => {
    const { body, query = {}, headers = {}, token: bearer = token, signal } = options;
    const search = new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]));
    const isForm = body instanceof FormData;
    const raw = typeof body === "string" || body instanceof Uint8Array || isForm;
    const request = new Request(`${url}/api/${route}${search.size > 0 ? `?${search}` : ""}`, {
      method,
      headers: {
        ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
        ...(body === undefined || isForm ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: raw ? (body as string | Uint8Array<ArrayBuffer> | FormData) : JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
    const answer = await send(request);
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, json: parsed(text) };
  };
  return {
    url,
    token,
    ask: askBy(call),
    as: (other) => apiBy(send, { url, token: other }),
    call,
    get: (route, query) => call("GET", route, query ? { query } : {}),
    post: (route, body, query) => call("POST", route, { ...defined({ body }), ...(query ? { query } : {}) }),
  };
}

/** Returns the operations of a client. `bound`: the parts of addresses that it knows. */
export function askBy<Bound extends string = never>(call: Api["call"], bound?: Readonly<Record<Bound, string>>): Operations<Bound> {
  return nest<Operations<Bound>, OperationName>(operations, (name, input: AnyInput) => {
    const { method, address, ...options } = toRequest(operations, name, { ...bound, ...input });
    return call(method, address.replace(/^\/api\//, ""), options);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
