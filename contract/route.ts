import type { z } from "zod";
import type { AccessRule } from "./access/access-rule.ts";
import type { AuditRule, RecordedElsewhere, RevealedSecret } from "./access/audit-rule.ts";
import type { ErrorCode } from "./errors.ts";
import type { Payload } from "./payload.ts";

export type Method = "GET" | "POST" | "DELETE";

/** The beginning of the addresses of HTTP routes, which users create (api.md §3.8). They are not part of the contract. */
export const ROUTES_PREFIX = "/api/r";

/** The deployed function that handles a route. `lib/api/api.ts` builds the REST resources from it. */
export type RouteFunction =
  | "run"
  | "stream"
  | "objects"
  | "triggers"
  | "jobs"
  | "people"
  | "api"
  | "beat"
  | "approve"
  | "chat"
  | "web"
  | "routes"
  | "sync"
  | "console";

/**
 * One HTTP route, the source of the router, the OpenAPI document and the typed clients. `path` contains `{name}` parts and may end with one
 * greedy `{name+}`, which includes slashes.
 */
interface AnyRoute {
  /** `<noun>.<verb>`, which is also the operation id. */
  readonly name: string;
  /** The operation in the audit log, by which clients filter it. Default: the name in snake case (`toOperation`). */
  readonly operation?: string;
  readonly summary: string;
  readonly method: Method;
  readonly path: `/${string}`;
  readonly fn: RouteFunction;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** The schema of the JSON body. Absent if the route has no body. */
  readonly body?: z.ZodType;
  /** The body may also be a form (`application/x-www-form-urlencoded`). */
  readonly form?: true;
  /** Accepts any body, headers and query by the payload rules (core/payload). */
  readonly payload?: true;
  /**
   * The use of the object's version. `shown`: the header `ETag` of the reply names it. `expected`: a request may name a version in the header
   * `If-Match`. The service refuses it with `object.versionChanged` if the object has another version.
   */
  readonly version?: "shown" | "expected";
  /** 303 redirects a browser to the URL in the header `Location`. */
  readonly status: 200 | 201 | 303;
  readonly reply:
    | { readonly text: string }
    /** `csv`: description of the CSV format, if the caller can request it instead. */
    | { readonly json: z.ZodType; readonly csv?: string }
    | { readonly bytes: string }
    | { readonly events: string; readonly event: z.ZodType };
  /** Errors beyond 401, 403 and the shape errors that every route may give. */
  readonly errors: readonly ErrorCode[];
  /** The subset of `errors` that the route sends as JSON with status 400, each with its name in OAuth 2.0 (RFC 6749 §5.2). */
  readonly oauthErrors?: Readonly<Partial<Record<ErrorCode, string>>>;
  /** The stored secret that the handler decrypts. No handler of another route can read one. */
  readonly reveals?: RevealedSecret;
  /** The path parts that no log contains: signatures of links, codes, and prefixes of tokens, as which a caller may send a whole token. */
  readonly hiddenInLogs?: readonly string[];
}

/** Routes without a token declare no verb: only `GET` may leave out the record. */
type AuditedByMethod =
  | { readonly method: "GET"; readonly audits?: RecordedElsewhere }
  | { readonly method: Exclude<Method, "GET">; readonly audits: RecordedElsewhere };

/** A route that changes something declares the record of the change. The record of a run is its job. */
type AuditedByVerb =
  | { readonly access: AccessRule & { readonly verb: "write" }; readonly audits: AuditRule | RecordedElsewhere }
  | { readonly access: AccessRule & { readonly verb: "read" | "run" }; readonly audits?: never };

/** A route for callers with a token. `access` is checked before the handler is called. */
export type TokenRoute = AnyRoute & { readonly auth: "token" } & AuditedByVerb;

/** A route without a token. Its handler must not rely on the caller's identity. */
interface OpenRoute extends AnyRoute {
  readonly auth: "none";
  readonly access: "open";
  /** The access that the token of a signed-in caller must allow. With a narrower scope the caller counts as not signed in. */
  readonly callerAccess?: AccessRule;
}

/** An internal route for the runner, which sends the token of the job that it runs. */
interface JobRoute extends AnyRoute {
  readonly auth: "job";
  readonly access: "job";
}

export type Route = TokenRoute | ((OpenRoute | JobRoute) & AuditedByMethod);

/** A route whose handler may read a stored secret. */
export type RevealingRoute = Route & { readonly reveals: RevealedSecret };

/** Checks the type of a route and returns it. */
export function defineRoute<const R extends Route>(route: R): R {
  return route;
}

/** Matches the paths of requests to a route, with or without a trailing slash. */
export function buildPathPattern({ path }: Route): RegExp {
  const parts = path
    .replaceAll(".", "\\.")
    .replace(/\{\w+\+\}$/, ".+")
    .replace(/\{\w+\}/g, "[^/]+");
  return new RegExp(`^${parts}/?$`);
}

type Infer<T> = T extends z.ZodType ? z.output<T> : undefined;

/** The input of a handler after all checks of the edge. */
export interface RouteInput<R extends Route> {
  params: Infer<R["params"]>;
  query: Infer<R["query"]>;
  body: Infer<R["body"]>;
  /** The unchecked body, for values that must be stored exactly as sent: the check drops keys named `__proto__` and may add defaults. */
  rawBody: Infer<R["body"]>;
  /** The versions that `If-Match` names. Absent: any. */
  expected: R["version"] extends "expected" ? readonly string[] | undefined : undefined;
  /** Decodes a body that may be anything. Handlers call it after every check that needs no body. Throws `body.tooLarge`, `body.encoding` and `body.notDecoded`. */
  readPayload: R["payload"] extends true ? () => Promise<Payload> : undefined;
}
