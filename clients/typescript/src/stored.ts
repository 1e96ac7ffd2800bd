import { ApiError, answerOf, call, jobVariable, mocked, pathPart } from "./connection.ts";

/** The default path of a job's state: one resource for each script and user. */
function statePath(): string {
  const path = jobVariable("STATE_PATH_NEW") || jobVariable("STATE_PATH");
  if (!path) throw new Error("This does not run in a job (WM_STATE_PATH is not set): name the path.");
  return path;
}

/**
 * Returns the value of a resource (a connection) with its references resolved.
 *
 * @param path `f/ops/db`, also written `$res:f/ops/db` or `res://f/ops/db`; default: the path of the script's state
 * @param undefinedIfEmpty return `undefined` for a missing resource, instead of throwing
 * @throws `ApiError` with status 404 if it is missing or not visible to the caller
 */
export async function getResource<T = unknown>(path?: string, undefinedIfEmpty = false): Promise<T | undefined> {
  const at = (path ?? statePath()).replace(/^(\$res:|res:\/\/)/, "");
  const known = mocked("resources", at);
  if (known) return known.value as T;
  try {
    return (await answerOf(await call("GET", `resources/get_value_interpolated/${pathPart(at)}`))) as T;
  } catch (error) {
    if (undefinedIfEmpty && error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/**
 * Sets the value of a resource.
 *
 * @param path default: the path of the script's state
 * @param initializeToTypeIfNotExist the resource type with which a missing resource is created; without it, a missing resource is an error
 * @throws `ApiError`, with status 404 if the resource is missing and no type was given
 */
export async function setResource(value: unknown, path?: string, initializeToTypeIfNotExist?: string): Promise<void> {
  const at = (path ?? statePath()).replace(/^(\$res:|res:\/\/)/, "");
  if (await answerOf(await call("GET", `resources/exists/${pathPart(at)}`))) {
    await call("POST", `resources/update_value/${pathPart(at)}`, { json: { value } });
  } else if (initializeToTypeIfNotExist) {
    // Another run may have created it concurrently: the later call wins, as with two updates.
    const query = { update_if_exists: true };
    await call("POST", "resources/create", { query, json: { path: at, value, resource_type: initializeToTypeIfNotExist } });
  } else {
    throw new ApiError(404, "", `There is no resource ${at}, and no type was given to create it with.`);
  }
}

/**
 * Returns the value that an earlier run of this script stored with `setState`, or `undefined`.
 *
 * @param path default: a path for this script and the user as whom it runs
 */
export async function getState<T = unknown>(path?: string): Promise<T | undefined> {
  return await getResource<T>(path, true);
}

/** Stores a value for later runs of this script. If two runs store a value at once, the later one wins. */
export async function setState(state: unknown, path?: string): Promise<void> {
  await setResource(state, path, "state");
}

/**
 * Returns the value of a variable, which may be secret.
 *
 * @param path `f/ops/token`, also written `$var:f/ops/token` or `var://f/ops/token`
 * @throws `ApiError` with status 404 if it is missing or not visible to the caller
 */
export async function getVariable(path: string): Promise<string> {
  const at = path.replace(/^(\$var:|var:\/\/)/, "");
  const known = mocked("variables", at);
  if (known) return String(known.value);
  return String(await answerOf(await call("GET", `variables/get_value/${pathPart(at)}`)));
}

/**
 * Sets the value of a variable, or creates it.
 *
 * @param isSecret applies only to a new variable, as does `description`: an existing variable retains both
 */
export async function setVariable(path: string, value: string, isSecret = false, description = ""): Promise<void> {
  const at = path.replace(/^(\$var:|var:\/\/)/, "");
  if (await answerOf(await call("GET", `variables/exists/${pathPart(at)}`))) {
    await call("POST", `variables/update/${pathPart(at)}`, { json: { value } });
  } else {
    await call("POST", "variables/create", { json: { path: at, value, is_secret: isSecret, description } });
  }
}

/**
 * Returns the address of a user of the workspace.
 *
 * @throws `ApiError` with status 404 if there is no such user
 */
export async function usernameToEmail(username: string): Promise<string> {
  return await (await call("GET", `users/username_to_email/${pathPart(username)}`)).text();
}

/**
 * Returns an OpenID Connect ID token of the job that runs this code, for another service, such as `sts.amazonaws.com`.
 *
 * @param expiresIn seconds for which it is valid, 60 to 86,400; default: an hour
 */
export async function getIdToken(audience: string, expiresIn?: number): Promise<string> {
  return await (await call("POST", `oidc/token/${encodeURIComponent(audience)}`, { query: { expires_in: expiresIn } })).text();
}

interface Database {
  host: string;
  port?: number | string;
  user?: string;
  password?: string;
  dbname: string;
  sslmode?: string;
}

/**
 * Returns a connection URL, `postgresql://user:password@host:port/dbname?sslmode=…`, for a resource of type `postgresql`. The URL contains
 * the password.
 *
 * @throws `ApiError` with status 404 if there is no such resource
 */
export async function databaseUrlFromResource(path: string): Promise<string> {
  const { host, port = 5432, user = "", password = "", dbname, sslmode } = (await getResource(path)) as Database;
  const login = [user, password].filter(Boolean).map(encodeURIComponent).join(":");
  const address = host.includes(":") ? `[${host}]` : host;
  const mode = sslmode ? `?sslmode=${encodeURIComponent(sslmode)}` : "";
  return `postgresql://${login && `${login}@`}${address}:${port}/${encodeURIComponent(dbname)}${mode}`;
}
