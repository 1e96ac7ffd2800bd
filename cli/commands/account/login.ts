import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { operations } from "../../../contract/client/operations/all.ts";
import { toRequest } from "../../../contract/client/request.ts";
import { limits } from "../../../contract/limits.ts";
import { ApiClient, ApiError, describeCause, describePage, isPage } from "../../api/client.ts";
import type { Context } from "../../context.ts";
import { CommandError, UsageError } from "../../errors.ts";
import { readSecret } from "../../output/prompts.ts";
import { readProfiles, writeProfiles } from "../../profiles/profiles.ts";
import { chooseWorkspace, saveProfile } from "./workspace.ts";

/** Logs in to a service, with a code that the person confirms in a browser, or with a token from standard input. Stores a profile. */
export async function login(
  context: Context,
  address: string,
  { withToken = false, name }: { withToken?: boolean; name?: string },
): Promise<void> {
  if (!URL.canParse(address)) throw new UsageError(`${address} is not the address of a service, such as https://svc.example.com.`);
  const url = serviceAt(new URL(address));
  const token = withToken ? (await readSecret("token")).trim() : await requestToken(context, url);
  const client = new ApiClient({ url, token, workspace: "" });
  const { email } = await client.call.users.whoamiGlobal();
  const workspace = await chooseWorkspace(client, context.flags.workspace);
  const profile = name ?? workspace;
  saveProfile(profile, { url, workspace, token, ...(withToken ? {} : { device: true }) });
  context.output.say(`Logged in as ${email}. The profile ${profile} is active: workspace ${workspace} at ${url}.`);
}

/** Returns the address of a service from that of one of its pages. Only API Gateway's own addresses have a path, their stage. */
export const serviceAt = ({ origin, hostname, pathname }: URL): string =>
  /\.execute-api\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/.test(hostname) ? `${origin}${/^\/[^/]+/.exec(pathname)?.[0] ?? ""}` : origin;

/** Returns a token by the device authorization grant (RFC 8628). */
async function requestToken(context: Context, url: string): Promise<string> {
  const client = new ApiClient({ url, token: "", workspace: "" });
  const answer = await client.call.auth.requestDeviceCode({ body: { client_name: hostname().slice(0, 60) } });
  context.output.say(`Open ${answer.verification_uri_complete}\nand confirm the code ${context.output.style("bold", answer.user_code)}`);
  let intervalMs = answer.interval * 1000;
  for (;;) {
    await sleep(intervalMs);
    const { status, body } = await pollToken(url, answer.device_code);
    if (status === 200 && body.access_token) return body.access_token;
    if (body.error === "slow_down") intervalMs += 5000;
    else if (body.error === "access_denied") throw new CommandError("The login was refused in the browser.");
    else if (body.error === "expired_token") throw new CommandError("The code has expired. Run the command again.");
    else if (body.error !== "authorization_pending") throw new CommandError(body.error_description ?? `The service answers ${status}.`);
  }
}

interface TokenAnswer {
  access_token?: string;
  error?: string;
  error_description?: string;
}

async function pollToken(url: string, deviceCode: string): Promise<{ status: number; body: TokenAnswer }> {
  const { method, address } = toRequest(operations, "auth.redeemDeviceCode");
  const response = await fetch(`${url}${address}`, {
    method,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: deviceCode }),
  }).catch((error: unknown) => {
    throw new CommandError(`${url} does not answer: ${describeCause(error)}.`);
  });
  if (isPage(response)) throw describePage(url, response.status);
  const text = await response.text();
  try {
    return { status: response.status, body: JSON.parse(text) as TokenAnswer };
  } catch {
    return { status: response.status, body: { error: "unknown", error_description: text } };
  }
}

/** Removes the profiles with the token of the target. Deletes the token if a login by a code has created it: other tokens may have other users. */
export async function logout(context: Context): Promise<void> {
  const { url, token, profile } = context.target();
  if (profile === undefined)
    throw new UsageError("The token is not that of a profile: there is nothing to log out from. Leave out --token and SVC_TOKEN.");
  const stored = readProfiles();
  const same = Object.entries(stored.profiles).filter(([, one]) => one.token === token);
  const isDeleted = same.some(([, { device }]) => device) && (await deleteOwnToken(context.instanceClient()));
  for (const [name] of same) delete stored.profiles[name];
  const { active } = stored;
  writeProfiles({ ...stored, active: active !== undefined && stored.profiles[active] ? active : undefined });
  const rest = isDeleted ? "" : " Its token was not made by svc login, so it is still valid. Delete it with: svc token delete";
  context.output.say(`Logged out at ${url}. Removed: ${same.map(([name]) => name).join(", ")}.${rest}`);
}

/** Returns whether the token is no longer valid. */
async function deleteOwnToken(client: ApiClient): Promise<boolean> {
  try {
    await client.call.tokens.delete({ token_prefix: client.options.token.slice(0, limits.tokenPrefixChars) });
    return true;
  } catch (error) {
    // The token was already invalid.
    if (error instanceof ApiError && (error.status === 401 || error.status === 404)) return true;
    throw error;
  }
}
