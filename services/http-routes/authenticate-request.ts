import type { AccessRule } from "../../contract/access/access-rule.ts";
import { actions } from "../../contract/access/actions.ts";
import { isSvcError } from "../../contract/errors.ts";
import { assertNever } from "../../contract/utilities/assert-never.ts";
import { type Credential, findCredentialType } from "../../core/http-routes/authentication/credential.ts";
import type { Authentication } from "../../core/http-routes/authentication/outcome.ts";
import { verifyApiKey, verifyBasic } from "../../core/http-routes/authentication/shared-secrets.ts";
import { type SignedRequest, verifySignature } from "../../core/http-routes/authentication/signature.ts";
import type { FoundHttpRoute } from "../../core/http-routes/http-route.ts";
import type { Actor } from "../../core/people/actor.ts";
import { may } from "../../core/permissions/may.ts";
import { parseFlow } from "../flows/definitions/load.ts";
import { authenticate } from "../identity/authenticate.ts";
import { parseScript } from "../scripts/load.ts";
import { openHttpRouteCredential } from "../secrets/open-copy.ts";
import type { Uses } from "../uses.ts";

/** A request whose body only a signature needs. */
export interface SentRequest extends SignedRequest {
  /** The token of this service that the request has. */
  token: string | undefined;
}

/** Authenticates the caller of a route by the route's method. It starts nothing and writes nothing. */
export async function authenticateRequest(
  deps: Uses<"jobs" | "objects" | "publicKey" | "httpRouteKeys" | "readKeySet" | "nowMs">,
  found: FoundHttpRoute,
  request: SentRequest,
): Promise<Authentication> {
  const method = found.fields.authentication_method;
  switch (method) {
    case "none":
      return { outcome: "admitted" };
    case "custom_script":
      return isCheckedByScript(found) ? { outcome: "admitted" } : { outcome: "refused", reason: "noConfiguration" };
    case "svc":
    case "windmill":
      return authenticateByToken(deps, found, request.token);
    case "api_key":
    case "basic_http":
    case "signature":
    case "jwt": {
      const credential = await openCredential(deps, found);
      if (!credential || credential.type !== findCredentialType(method)) return { outcome: "refused", reason: "noConfiguration" };
      return verify(deps, credential, request);
    }
    default:
      return assertNever(method);
  }
}

/** The script may have lost its preprocessor since the route was saved. A missing script checks nothing either. */
function isCheckedByScript({ fields, trigger, head }: FoundHttpRoute): boolean {
  if (fields.static_asset_config) return false;
  const runnable = trigger.isFlow ? parseFlow(head) : parseScript(head);
  return runnable?.preprocessor !== undefined && runnable.preprocessor !== false;
}

async function openCredential(
  deps: Uses<"httpRouteKeys" | "nowMs">,
  { workspace, fields, credential }: FoundHttpRoute,
): Promise<Credential | undefined> {
  const path = fields.authentication_resource_path;
  return path ? openHttpRouteCredential(deps, { workspace, path }, credential) : undefined;
}

async function verify(deps: Uses<"readKeySet" | "nowMs">, credential: Credential, request: SentRequest): Promise<Authentication> {
  switch (credential.type) {
    case "api_key_auth":
      return verifyApiKey(credential, request);
    case "basic_http_auth":
      return verifyBasic(credential, request);
    case "signature_auth":
      return verifySignature(credential, request, deps.nowMs());
    case "jwt_auth": {
      // Loaded on first use, because few routes accept such tokens.
      const { verifyToken } = await import("./verify-token.ts");
      return verifyToken(deps, credential, request.headers["authorization"]);
    }
    default:
      return assertNever(credential);
  }
}

const readRoute: AccessRule = { domain: "http_triggers", verb: "read", need: "read", target: "path", hiddenAs: "trigger.notFound" };
const readFlow: AccessRule = { domain: "flows", verb: "read", need: "read", target: "path", hiddenAs: "flow.notFound" };

/** A token's scopes must allow the route; its user must be allowed to read the route, and its script or flow if it has one. */
async function authenticateByToken(
  deps: Uses<"jobs" | "objects" | "publicKey" | "nowMs">,
  { workspace, trigger }: FoundHttpRoute,
  token: string | undefined,
): Promise<Authentication> {
  const refuse = (reason: "noCredential" | "wrongToken" | "noAccess"): Authentication => ({
    outcome: "refused",
    reason,
    challenge: "Bearer",
  });
  if (!token) return refuse("noCredential");
  const actor = await identify(deps, workspace, token);
  if (!actor) return refuse("wrongToken");
  const mayRead =
    may(actor, readRoute, { workspace, path: trigger.path }) &&
    (trigger.scriptPath === "" ||
      may(withoutScopes(actor), trigger.isFlow ? readFlow : actions.readScript.access, { workspace, path: trigger.scriptPath }));
  return mayRead ? { outcome: "admitted", actor, secretHeaders: ["authorization"] } : refuse("noAccess");
}

async function identify(
  deps: Uses<"jobs" | "objects" | "publicKey" | "nowMs">,
  workspace: string,
  token: string,
): Promise<Actor | undefined> {
  try {
    return (await authenticate(deps, token, { workspace })).actor;
  } catch (error) {
    if (isSvcError(error) && error.code === "auth.invalid") return undefined;
    throw error;
  }
}

function withoutScopes(actor: Actor): Actor {
  if (actor.kind === "job") return actor;
  const { scopes: _, ...others } = actor;
  return others;
}
