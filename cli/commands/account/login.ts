import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { limits } from "../../../contract/limits.ts";
import { ApiClient, ApiError } from "../../api/client.ts";
import type { Context } from "../../context.ts";
import { CommandError, UsageError } from "../../errors.ts";
import { readSecret } from "../../output/prompts.ts";
import { readProfiles, writeProfiles } from "../../profiles/profiles.ts";
import { chooseWorkspace, saveProfile } from "./workspace.ts";

interface DeviceAnswer {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
  expires_in: number;
  interval: number;
}

/** Logs in at a service, by a code that the person confirms in a browser, or with a token from standard input. Stores a profile. */
export async function login(
  context: Context,
  address: string,
  { withToken = false, name }: { withToken?: boolean; name?: string },
): Promise<void> {
  if (!URL.canParse(address)) throw new UsageError(`${address} is not the address of a service, such as https://svc.example.com.`);
  const url = new URL(address).origin;
  const token = withToken ? await readSecret("token") : await requestToken(context, url);
  const client = new ApiClient({ url, token, workspace: "" });
  const { email } = await client.get<{ email: string }>("/users/whoami");
  const workspace = await chooseWorkspace(client, context.flags.workspace);
  const profile = name ?? workspace;
  saveProfile(profile, { url, workspace, token });
  context.output.say(`Logged in as ${email}. The profile ${profile} is active: workspace ${workspace} at ${url}.`);
}

/** Returns a token by the device authorization grant (RFC 8628). */
async function requestToken(context: Context, url: string): Promise<string> {
  const client = new ApiClient({ url, token: "", workspace: "" });
  const answer = await client.post<DeviceAnswer>("/auth/device", { client_name: hostname().slice(0, 60) });
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
  const response = await fetch(`${url}/api/auth/device/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: deviceCode }),
  });
  const text = await response.text();
  try {
    return { status: response.status, body: JSON.parse(text) as TokenAnswer };
  } catch {
    return { status: response.status, body: { error: "unknown", error_description: text } };
  }
}

/** Revokes the token of the active profile, or of the one that the flag names, and removes the profiles that use it. */
export async function logout(context: Context): Promise<void> {
  const target = context.target();
  const isRevoked = await revokeToken(context.instanceClient(target));
  const stored = readProfiles();
  for (const [name, { token }] of Object.entries(stored.profiles)) if (token === target.token) delete stored.profiles[name];
  const { active } = stored;
  writeProfiles({ ...stored, active: active !== undefined && stored.profiles[active] ? active : undefined });
  context.output.say(`Logged out at ${target.url}.`);
  if (!isRevoked)
    context.output.say("The token is still valid, because its scopes do not allow it to delete itself. Delete it with another token.");
}

/** Ends the session of the client's token, or deletes a token of another kind. Returns whether the token is not valid any more. */
async function revokeToken(client: ApiClient): Promise<boolean> {
  await client.post("/auth/logout");
  try {
    await client.delete(`/users/tokens/delete/${encodeURIComponent(client.options.token.slice(0, limits.tokenPrefixChars))}`);
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 403) return false;
    // The session has ended, or the token was not valid before.
    if (error.status === 401 || error.status === 404) return true;
    throw error;
  }
}
