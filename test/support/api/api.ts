import { inject } from "vitest";
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
  /** Sent as JSON, unless it is a string or bytes. */
  body?: unknown;
  headers?: Record<string, string>;
  query?: Record<string, string | number | boolean>;
  /** A token other than the client's; empty for no token. */
  token?: string;
  signal?: AbortSignal;
}

export interface Api {
  url: string;
  token: string;
  /** `route` follows `/api/`. */
  call(method: string, route: string, options?: CallOptions): Promise<Answer>;
  get(route: string, query?: CallOptions["query"]): Promise<Answer>;
  post(route: string, body?: unknown, query?: CallOptions["query"]): Promise<Answer>;
}

export function api({ url, token }: { url: string; token: string } = shared()): Api {
  const call = async (method: string, route: string, options: CallOptions = {}): Promise<Answer> => {
    const { body, query = {}, headers = {}, token: bearer = token, signal } = options;
    const search = new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]));
    const raw = typeof body === "string" || body instanceof Uint8Array;
    const answer = await fetch(`${url}/api/${route}${search.size > 0 ? `?${search}` : ""}`, {
      method,
      headers: {
        ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: raw ? body : JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, json: parsed(text) };
  };
  return {
    url,
    token,
    call,
    get: (route, query) => call("GET", route, query ? { query } : {}),
    post: (route, body, query) => call("POST", route, { ...defined({ body }), ...(query ? { query } : {}) }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
