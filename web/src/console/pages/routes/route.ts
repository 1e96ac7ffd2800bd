import type { Reply } from "../../../../../contract/client/operation.ts";
import { basePath } from "../../../shared/base-path.ts";
import { ask } from "../../data/objects-api.ts";
import { routesText as text } from "../../messages/objects/routes.ts";
import { schedulesText } from "../../messages/objects/schedules.ts";
import { storedText } from "../../messages/objects/stored.ts";
import { quoteForShell } from "../../parts/quote-for-shell.ts";
import { type ComparedField, compared } from "../../parts/stored/compared-fields.ts";
import type { ChosenRunnable } from "../../parts/stored/runnable-path.ts";
import type { Loaded } from "../../parts/stored/use-editor.ts";

export type HttpRoute = Reply<"http_triggers.get">;
export const methods = ["get", "post", "put", "patch", "delete"] as const;
export type Method = (typeof methods)[number];
export type Authentication = keyof typeof text.authentications;
export type Serving = keyof typeof text.serving;
export type RequestType = keyof typeof text.requestTypes;

/** Routes serve files from the storage of the deployment alone. */
export const SERVED_STORAGE = "_stack_";

/** The type of the resource that a method of authentication needs. The others need none. */
export const resourceTypes: Partial<Record<Authentication, string>> = {
  api_key: "api_key_auth",
  basic_http: "basic_http_auth",
  signature: "signature_auth",
  jwt: "jwt_auth",
};

/** The fields of the form of an HTTP route. */
export interface RouteValues {
  path: string;
  route: string;
  method: Method;
  isWorkspaced: boolean;
  runnable: ChosenRunnable | undefined;
  requestType: RequestType;
  authentication: Authentication;
  resource: string;
  wrapsBody: boolean;
  passesRaw: boolean;
  /** One on each line. */
  origins: string;
  summary: string;
  description: string;
  /** The user whose rights the runs have. */
  runsAs: string;
  /** Whether a run answers, a file, or the files of a folder. */
  serving: Serving;
  /** The key of the file or the folder. */
  fileKey: string;
  /** The name with which a browser saves the file. */
  fileName: string;
  labels: string[];
  /** The settings that the form does not show. A save would remove those that it omits. */
  others: object;
}

export const newRoute: RouteValues = {
  path: "",
  route: "",
  method: "post",
  isWorkspaced: true,
  runnable: undefined,
  requestType: "sync",
  authentication: "svc",
  resource: "",
  wrapsBody: false,
  passesRaw: false,
  origins: "",
  summary: "",
  description: "",
  runsAs: "",
  serving: "run",
  fileKey: "",
  fileName: "",
  labels: [],
  others: {},
};

/** Clients of other servers name the tokens of this service by the name of their product. */
const toAuthentication = (method: HttpRoute["authentication_method"]): Authentication => (method === "windmill" ? "svc" : method);

/** Returns the values of the form of a stored route. */
export function fromRoute(stored: HttpRoute): RouteValues {
  const { path, route_path, http_method, workspaced_route, script_path, is_flow, request_type, authentication_method, ...more } = stored;
  const { authentication_resource_path, wrap_body, raw_string, allowed_origins, summary, description, permissioned_as, ...most } = more;
  const { static_asset_config: file, is_static_website: isSite, labels = [], ...rest } = most;
  // The service sets these.
  const { workspace_id, extra_perms, email, edited_by, edited_at, error, ...others } = rest as typeof rest & Record<string, unknown>;
  return {
    path,
    route: route_path,
    method: http_method,
    isWorkspaced: workspaced_route,
    runnable: script_path === "" ? undefined : { kind: is_flow ? "flow" : "script", path: script_path },
    requestType: request_type,
    authentication: toAuthentication(authentication_method),
    resource: authentication_resource_path ?? "",
    wrapsBody: wrap_body,
    passesRaw: raw_string,
    origins: (allowed_origins ?? []).join("\n"),
    summary: summary ?? "",
    description: description ?? "",
    runsAs: permissioned_as,
    serving: file ? (isSite ? "site" : "file") : "run",
    fileKey: file?.s3 ?? "",
    fileName: file?.filename ?? "",
    labels,
    others,
  };
}

/** Returns what a save sends. */
export function toRoute(values: RouteValues) {
  const { serving, fileKey, fileName } = values;
  const file = { s3: fileKey.trim(), storage: SERVED_STORAGE, filename: fileName.trim() || null };
  const origins = values.origins.split(/\s+/).filter((origin) => origin !== "");
  return {
    ...values.others,
    path: values.path,
    route_path: values.route,
    http_method: serving === "run" ? values.method : "get",
    static_asset_config: serving === "run" ? null : file,
    is_static_website: serving === "site",
    workspaced_route: values.isWorkspaced,
    script_path: values.runnable?.path ?? "",
    is_flow: values.runnable?.kind === "flow",
    request_type: values.requestType,
    authentication_method: values.authentication,
    authentication_resource_path: resourceTypes[values.authentication] === undefined ? null : values.resource,
    wrap_body: values.wrapsBody,
    raw_string: values.passesRaw,
    allowed_origins: origins.length === 0 ? null : origins,
    labels: values.labels.length === 0 ? null : values.labels,
    summary: values.summary || null,
    description: values.description || null,
  };
}

/** Reads a route for its form. */
export async function loadRoute(workspace: string, path: string): Promise<Loaded<RouteValues>> {
  const { value, headers } = await ask.http_triggers.get({ workspace, path });
  return { values: fromRoute(value), version: headers.get("etag") ?? undefined };
}

/** Returns the values that the browser may store. A route contains no secrets. */
export const keepableRoute = ({ runsAs, others, ...fields }: RouteValues): Partial<RouteValues> => fields;

/** The fields in which two versions are compared. */
export const routeFields: readonly ComparedField<RouteValues>[] = [
  compared(storedText.path, "path"),
  compared(text.route, "route"),
  compared(text.method, "method", (method) => method.toUpperCase()),
  compared(text.workspaced, "isWorkspaced"),
  compared(schedulesText.runnable, "runnable", (runnable) => (runnable ? `${schedulesText.kindOf[runnable.kind]} ${runnable.path}` : "")),
  compared(text.serves, "serving", (serving) => text.serving[serving]),
  compared(text.fileKey, "fileKey"),
  compared(text.fileName, "fileName"),
  compared(text.requestType, "requestType", (type) => text.requestTypes[type]),
  compared(text.authentication, "authentication", (method) => text.authentications[method]),
  compared(text.resource, "resource"),
  compared(text.wrapBody, "wrapsBody"),
  compared(text.rawString, "passesRaw"),
  compared(text.origins, "origins"),
  compared(text.labels, "labels", (labels) => labels.join(", ")),
  compared(text.summary, "summary"),
  compared(text.description, "description"),
];

/** Returns the names of the variable parts of a route: `id` of `orders/:id`. */
export const variableParts = (route: string): string[] =>
  route
    .split("/")
    .filter((part) => /^[:*]/.test(part))
    .map((part) => part.slice(1));

interface AddressParts {
  workspace: string;
  route: string;
  isWorkspaced: boolean;
  /** The values of the variable parts. */
  parts: Readonly<Record<string, string>>;
  query: string;
}

/** Returns the path of a route on this origin. A part without a value stays as it is written. */
export function addressOf({ workspace, route, isWorkspaced, parts, query }: AddressParts): string {
  const segments = route
    .replace(/^\//, "")
    .split("/")
    .map((part) => {
      if (!/^[:*]/.test(part)) return encodeURI(part);
      const value = parts[part.slice(1)] ?? "";
      if (value === "") return part;
      return part.startsWith("*") ? value.split("/").map(encodeURIComponent).join("/") : encodeURIComponent(value);
    });
  const search = query.replace(/^\?/, "");
  return `${basePath}/api/r/${isWorkspaced ? `${workspace}/` : ""}${segments.join("/")}${search === "" ? "" : `?${search}`}`;
}

/** Reads headers, one on each line. */
export function parseHeaders(lines: string): [name: string, value: string][] {
  return lines.split("\n").flatMap((line) => {
    const at = line.indexOf(":");
    return at <= 0 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()] as [string, string]];
  });
}

interface SentRequest {
  method: Method;
  url: string;
  headers: readonly (readonly [name: string, value: string])[];
  body: string;
}

/** Returns a request as a shell command. */
export function toCurl({ method, url, headers, body }: SentRequest): string {
  const lines = [`curl -sS -X ${method.toUpperCase()}`, ...headers.map(([name, value]) => `  -H ${quoteForShell(`${name}: ${value}`)}`)];
  return [...lines, ...(body === "" ? [] : [`  -d ${quoteForShell(body)}`]), `  ${quoteForShell(url)}`].join(" \\\n");
}
