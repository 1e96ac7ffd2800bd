import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, type Asks, type Calls, nest } from "../../contract/client/client.ts";
import type { CallArguments, Nested, OperationName, Reply } from "../../contract/client/operation.ts";
import { operations } from "../../contract/client/operations/all.ts";
import { AddressError, type AnyInput, type ApiRequest, toJsonContent, toRequest } from "../../contract/client/request.ts";
import { defined } from "../../contract/defined.ts";
import { parseExactJson } from "../../contract/json/exact-json.ts";
import { CommandError } from "../errors.ts";
import { version } from "../version.ts";

export interface ClientOptions {
  /** The origin of the service. */
  url: string;
  token: string;
  workspace: string;
  /** The profile that contains the token, for error messages. */
  profile?: string | undefined;
  /** Receives one line for each request. */
  trace?: ((line: string) => void) | undefined;
  /** Shows a warning of the service about a request that it has accepted. */
  warn?: ((text: string) => void) | undefined;
  /** Aborts every request. */
  signal?: AbortSignal | undefined;
}

/** The part of addresses that the client knows. */
type Bound = "workspace";
type Finds = Nested<{ [N in OperationName]: (...input: CallArguments<N, Bound>) => Promise<Reply<N> | undefined> }>;

interface Condition {
  ifNoneMatch?: string | undefined;
}

export interface Download {
  etag?: string | undefined;
  bytes?: Uint8Array;
}

/** A response of the service with an error status. */
export class ApiError extends CommandError {
  override readonly name = "ApiError";
  readonly status: number;
  /** The code of the error, for example `script.notFound`. */
  readonly code: string;

  constructor(message: string, { status, code }: { status: number; code: string }) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Maximum attempts of a request that the service or a gateway refuses temporarily. */
const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 30_000;

/** Calls the operations of the API of a service with one token. Those of a workspace are called in that of the client. */
export class ApiClient {
  readonly options: ClientOptions;
  /** Each operation returns the value of its answer. Retries requests that the service refuses temporarily. Throws `ApiError`. */
  readonly call: Calls<OperationName, Bound>;
  /** Each operation returns its answer with the headers. */
  readonly ask: Asks<OperationName, Bound>;
  /** Each operation returns the value of its answer, or `undefined` if the service answers 404. */
  readonly find: Finds;

  constructor(options: ClientOptions) {
    this.options = { ...options, url: options.url.replace(/\/+$/, "") };
    this.call = nest(operations, (name, input) => this.callAny(name, input));
    this.ask = nest(operations, (name, input) => this.#ask(name, input));
    this.find = nest(operations, (name, input) => this.callAny(name, input).catch(unlessMissing));
  }

  /** Returns a client whose requests a signal aborts. */
  withSignal(signal: AbortSignal): ApiClient {
    return new ApiClient({ ...this.options, signal });
  }

  /** Calls an operation that depends on the kind of an item, with fields that only the service checks. Returns the value of the answer. */
  async callAny(name: OperationName, input: AnyInput): Promise<unknown> {
    return (await this.#ask(name, input)).value;
  }

  async #ask(name: OperationName, input: AnyInput): Promise<Answer> {
    const response = await this.#fetch(this.#toRequest(name, input), "follow");
    const { status, headers } = response;
    const warning = headers.get("x-svc-warning");
    if (warning !== null) this.options.warn?.(warning);
    const text = await response.text();
    if (!(headers.get("content-type") ?? "").startsWith("application/json")) return { status, headers, value: text };
    try {
      return { status, headers, value: parseExactJson(text || "null") };
    } catch (error) {
      throw new CommandError(`${this.options.url} answers ${name} with broken JSON. Run the command again.`, { cause: error });
    }
  }

  /**
   * Downloads bytes. A redirect to another origin, such as a signed link to storage, is followed without the token. `etag`: that of the service,
   * not of the storage. Returns no bytes if the service confirms that those of `ifNoneMatch` are current.
   */
  async download(name: OperationName, { ifNoneMatch, ...input }: AnyInput & Condition): Promise<Download> {
    const headers = { ...input.headers, ...defined({ "if-none-match": ifNoneMatch }) };
    const response = await this.#fetch(this.#toRequest(name, { ...input, headers }), "manual");
    const etag = response.headers.get("etag") ?? undefined;
    const location = response.status === 200 ? null : response.headers.get("location");
    if (response.status === 304) return { etag };
    const source = location === null ? response : await this.#follow(new URL(location, response.url));
    return { etag, bytes: new Uint8Array(await source.arrayBuffer()) };
  }

  #toRequest(name: OperationName, input: AnyInput): ApiRequest {
    try {
      return toRequest(operations, name, { workspace: this.options.workspace, ...input });
    } catch (error) {
      throw error instanceof AddressError ? new CommandError(error.message) : error;
    }
  }

  async #follow(link: URL): Promise<Response> {
    const startedMs = performance.now();
    const response = await fetch(link).catch((error: unknown) => {
      throw new CommandError(`${link.origin}, to which the service refers, does not answer: ${describeCause(error)}.`);
    });
    // The query of a signed link gives access to its content.
    this.options.trace?.(`GET ${link.origin}${link.pathname} ${response.status} ${Math.round(performance.now() - startedMs)} ms`);
    if (!response.ok)
      throw new CommandError(`${link.origin}, to which the service refers, answers ${response.status}. Run the command again.`);
    return response;
  }

  /** Returns the response to a request that the service has accepted. Retries requests that it refuses temporarily. Throws `ApiError`. */
  async #fetch(request: ApiRequest, redirect: "follow" | "manual"): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.#send(request, redirect);
      // The service never answers this program with a web page, but login pages and portals in front of it do, even with status 200.
      if (response.ok && isPage(response)) throw describePage(this.options.url, response.status);
      if (response.ok || response.status === 304 || response.headers.has("location")) return response;
      const isTemporary = response.status === 429 || response.status >= 500;
      if (!isTemporary || attempt === ATTEMPTS) throw await this.#toError(response, request);
      await response.body?.cancel();
      const pauseMs = pauseOf(response, attempt);
      this.options.trace?.(`${response.status}, again in ${(pauseMs / 1000).toFixed(1)} s`);
      const signal = request.signal ?? this.options.signal;
      await sleep(pauseMs, undefined, defined({ signal }));
    }
  }

  async #send(
    { method, address, body, headers, signal = this.options.signal }: ApiRequest,
    redirect: "follow" | "manual",
  ): Promise<Response> {
    const url = new URL(`${this.options.url}${address}`);
    const content = body instanceof FormData ? { body, headers: {} } : toJsonContent(body);
    const startedMs = performance.now();
    try {
      const response = await fetch(url, {
        method,
        headers: {
          ...(this.options.token === "" ? {} : { authorization: `Bearer ${this.options.token}` }),
          ...content.headers,
          "user-agent": `svc-cli/${version}`,
          ...headers,
        },
        ...defined({ body: content.body, signal }),
        redirect,
      });
      this.options.trace?.(`${method} ${url.pathname} ${response.status} ${Math.round(performance.now() - startedMs)} ms`);
      return response;
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new CommandError(`${url.origin} does not answer: ${describeCause(error)}.`);
    }
  }

  async #toError(response: Response, { method, address }: ApiRequest): Promise<CommandError> {
    const text = (await response.text()).trim();
    const { url, profile, workspace } = this.options;
    if (/^<(!doctype|html)/i.test(text)) return describePage(url, response.status);
    const code = response.headers.get("x-svc-error") ?? "";
    if (response.status === 401) {
      const whose = profile === undefined ? "The token" : `The token of the profile ${profile}`;
      return new ApiError(`${whose} is not valid at ${url}. Run: svc login ${url}`, { status: 401, code });
    }
    if (code === "workspace.notFound" || (response.status === 404 && text.includes("no rows returned"))) {
      return new ApiError(`There is no workspace ${workspace} at ${url}, or the token may not see it.`, { status: 404, code });
    }
    return new ApiError(text || `${method} ${address.replace(/\?.*/, "")} answers ${response.status}.`, { status: response.status, code });
  }
}

/** Returns `undefined` for an answer with status 404. */
export function unlessMissing(error: unknown): undefined {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}

export const isPage = (response: Response): boolean => /^text\/html\b/i.test(response.headers.get("content-type") ?? "");

export const describePage = (url: string, status: number): CommandError =>
  new CommandError(
    `${url} answers with a web page (${status}): a proxy stands between this machine and the service, or the address is that of another site.`,
  );

export function describeCause(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message: string };
  return cause?.code ?? cause?.message ?? message;
}

function pauseOf(response: Response, attempt: number): number {
  const after = Number(response.headers.get("retry-after"));
  const wantedMs = Number.isFinite(after) && after > 0 ? after * 1000 : FIRST_PAUSE_MS * 2 ** (attempt - 1);
  return Math.min(wantedMs, LONGEST_PAUSE_MS);
}
