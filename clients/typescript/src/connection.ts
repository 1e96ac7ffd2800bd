/** Thrown when the service rejects a request. A request that does not reach the service throws the `TypeError` of `fetch`. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** The HTTP status. */
  readonly status: number;
  /** The error code of the service, such as `script.notFound`; empty if the response has none. */
  readonly code: string;

  /** @param sentence the error sentence of the service, for people */
  constructor(status: number, code: string, sentence: string) {
    super(sentence || `The service returned status ${status}.`);
    this.status = status;
    this.code = code;
  }
}

interface Chosen {
  token?: string;
  baseUrl?: string;
  workspace?: string;
}

let chosen: Chosen = {};

/**
 * Replaces the URL and the token of the environment. A script that svc runs does not need this, because its environment contains
 * the URL of the service and a token with exactly the job's permissions.
 *
 * @param token default: `WM_TOKEN`, else `OV_TOKEN`
 * @param baseUrl the service's origin, default: `BASE_INTERNAL_URL`, else `BASE_URL`, else `http://localhost:8000`
 * @param workspace default: `WM_WORKSPACE`, else `OV_WORKSPACE`, else `no_workspace`
 */
export function setClient(token?: string, baseUrl?: string, workspace?: string): void {
  chosen = { ...(token ? { token } : {}), ...(baseUrl ? { baseUrl } : {}), ...(workspace ? { workspace } : {}) };
}

interface Surroundings {
  process?: {
    env?: Record<string, string | undefined>;
    getBuiltinModule?(name: "node:fs"): { readFileSync(path: string, encoding: "utf8"): string };
  };
}

const surroundings = globalThis as Surroundings;

/**
 * Environment variables are read at each call, because a process that runs several jobs receives new values. A browser has none, and Deno
 * throws unless `--allow-env` is set.
 */
function environment(name: string): string {
  try {
    return surroundings.process?.env?.[name] ?? "";
  } catch {
    // Deno denies access to the environment.
    return "";
  }
}

/** Returns a variable of the job, in either of its spellings; empty if it is missing. */
export function jobVariable(name: string): string {
  return environment(`WM_${name}`) || environment(`OV_${name}`);
}

/** Returns the id of the job that runs this code. */
export function ownJob(): string {
  const id = jobVariable("JOB_ID");
  if (!id) throw new Error("This does not run in a job (WM_JOB_ID is not set): name the job.");
  return id;
}

/** Returns the value of a path in the file `WM_MOCKED_API_FILE`, for runs on a developer's machine. */
export function mocked(kind: "variables" | "resources", path: string): { value: unknown } | undefined {
  const file = environment("WM_MOCKED_API_FILE");
  const fs = file && surroundings.process?.getBuiltinModule?.("node:fs");
  if (!fs) return undefined;
  const values = (JSON.parse(fs.readFileSync(file, "utf8")) as Record<string, Record<string, unknown> | undefined>)[kind];
  return values && Object.hasOwn(values, path) ? { value: values[path] } : undefined;
}

/** Bodies that are sent unchanged. (`BodyInit` has another name without the DOM types.) */
export type Content = string | Uint8Array | ArrayBuffer | Blob;

interface Call {
  /** Undefined and empty values are omitted. */
  query?: Record<string, string | number | boolean | undefined>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent unchanged. */
  body?: Content;
  type?: string;
}

/** Calls a route of the workspace, and throws `ApiError` unless the response is a 2xx. */
export async function call(method: "GET" | "POST" | "DELETE", route: string, options: Call = {}): Promise<Response> {
  const response = await send(method, route, options);
  if (response.ok) return response;
  throw new ApiError(response.status, response.headers.get("x-svc-error") ?? "", await response.text());
}

/** Returns the origin of the service. `publicly`: for URLs that other programs receive. */
function serviceUrl(publicly = ""): string {
  const base = publicly || chosen.baseUrl || environment("BASE_INTERNAL_URL") || environment("BASE_URL") || "http://localhost:8000";
  return base.replace(/\/+$/, "");
}

/** Returns the base URL of the workspace's routes. `publicly`: for URLs that other programs receive. */
export function workspaceUrl(publicly = ""): string {
  const workspace = chosen.workspace || jobVariable("WORKSPACE") || "no_workspace";
  return `${serviceUrl(publicly)}/api/w/${encodeURIComponent(workspace)}`;
}

/** Calls a route of the workspace, or one of the service if it begins with a slash, and returns any response. */
export async function send(method: string, route: string, { query = {}, json, body, type }: Call): Promise<Response> {
  const token = chosen.token || jobVariable("TOKEN");
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== "") search.set(name, String(value));
  const contentType = json === undefined ? type : "application/json";
  const address = route.startsWith("/") ? `${serviceUrl()}${route}` : `${workspaceUrl()}/${route}`;
  return await fetch(`${address}${search.size > 0 ? `?${search}` : ""}`, {
    method,
    headers: { ...(token && { authorization: `Bearer ${token}` }), ...(contentType && { "content-type": contentType }) },
    ...(environment("WM_RAW_APP") ? { credentials: "omit" as const } : {}),
    ...(json === undefined ? (body === undefined ? {} : { body: body as Blob }) : { body: JSON.stringify(json) }),
  });
}

/** Returns the value of a JSON body; any other body is text. */
export async function answerOf(response: Response): Promise<unknown> {
  const text = await response.text();
  return /\bjson\b/.test(response.headers.get("content-type") ?? "") && text ? JSON.parse(text) : text;
}

/** Encodes a path for a URL and preserves its slashes. Throws for a path that would match another route. */
export function pathPart(path: string): string {
  if (path === "" || path.split("/").some((part) => part === "" || part === "." || part === "..")) {
    throw new TypeError(`"${path}" is not a path in a workspace.`);
  }
  return encodeURI(path).replace(/[?#]/g, encodeURIComponent);
}
