import { defined } from "../defined.ts";
import type { CallOptions } from "./operation.ts";

/** Operations by their names, each with its method and its address: `GET /api/w/{workspace}/variables/get/{path+}`. */
export type Operations<N extends string = string> = Readonly<Record<N, string>>;

/** A request, as a transport sends it to the origin of a service. */
export interface ApiRequest extends CallOptions {
  method: string;
  /** The path and the query. */
  address: string;
  body?: unknown;
}

/** The body of a request and the headers that describe it. */
interface JsonContent {
  headers: Readonly<Record<string, string>>;
  body?: string;
}

/** Returns the content of a request with a JSON body. A request without a body has neither. */
export const toJsonContent = (body: unknown): JsonContent =>
  body === undefined ? { headers: {} } : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };

/** The fields of an input of every operation. `operation.ts` has those of each. */
export interface AnyInput extends CallOptions {
  query?: Readonly<Record<string, unknown>> | undefined;
  body?: unknown;
  [param: string]: unknown;
}

/** A value that no address can contain, because a URL drops the segments `.` and `..`, also if they are encoded. */
export class AddressError extends Error {
  override readonly name = "AddressError";
}

/**
 * Returns the request for an operation. Throws `AddressError` if a value cannot be part of the address, and an error if one is missing.
 *
 * @example
 * toRequest(operations, "variables.get", { workspace: "demo", path: "f/app/key", query: { decrypt_secret: false } }).address;
 * // /api/w/demo/variables/get/f/app/key?decrypt_secret=false
 */
export function toRequest<N extends string>(operations: Operations<N>, name: N, input: AnyInput = {}): ApiRequest {
  const { query = {}, body, headers, signal, ...params } = input;
  const [method = "", pattern = ""] = operations[name].split(" ");
  const path = pattern.replace(/\{(\w+)(\+?)\}/g, (_, param: string, greedy: string) => {
    const value = params[param];
    if (value === undefined) throw new Error(`The call of ${name} lacks ${param}.`);
    const parts = greedy === "" ? [String(value)] : String(value).split("/");
    if (parts.some((part) => part === "." || part === ".."))
      throw new AddressError(`The ${param} ${value} contains the segment . or .., which no address can contain.`);
    return parts.map(encodeURIComponent).join("/");
  });
  const search = new URLSearchParams();
  for (const [field, value] of Object.entries(query)) if (value !== undefined) search.set(field, String(value));
  return {
    method,
    address: search.size === 0 ? path : `${path}?${search}`,
    ...defined({ body, headers, signal }),
  };
}
