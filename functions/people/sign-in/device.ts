import { describeError, isSvcError, SvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import { deviceRoutes as routes } from "../../../contract/routes/people/device.ts";
import type { ApiRoutes } from "../../shared/edge/domain-api.ts";
import { on } from "../../shared/edge/edge.ts";
import { json, nameAuditedResource, type Reply, text } from "../../shared/reply/reply.ts";
import { isFromOwnOrigin, type RequestHeaders } from "../../shared/request/credentials.ts";
import { deps } from "../deps.ts";

/** Loaded on first use, so that the function starts faster. */
const importDeviceGrant = () => import("../../../services/identity/sign-in/device-grant.ts");

/**
 * A page of another site could otherwise request codes from the address of its visitor, which the visitor would see on the page and trust.
 */
function requireOwnOrigin(headers: RequestHeaders): void {
  if (!isFromOwnOrigin(headers)) throw new SvcError("login.otherSite", {});
}

/** Replies with secrets must not be stored (RFC 6749 §5.1). */
const NOT_STORED = { "Cache-Control": "no-store", Pragma: "no-cache" };

const oauthErrors: Readonly<Record<string, string>> = routes.redeemDeviceCode.oauthErrors;

/** Returns the reply to an error that OAuth names (RFC 6749 §5.2, RFC 8628 §3.5). */
function toOauthReply(error: unknown): Reply {
  const name = isSvcError(error) ? oauthErrors[error.code] : undefined;
  if (!isSvcError(error) || name === undefined) throw error;
  const { status, sentence } = describeError(error as SvcError);
  return json(status, { error: name, error_description: sentence }, { "x-svc-error": error.code, ...NOT_STORED });
}

export const devices: ApiRoutes = [
  on(routes.requestDeviceCode, async ({ body, headers, address }) => {
    requireOwnOrigin(headers);
    const { requestDeviceCode } = await importDeviceGrant();
    const { deviceCode, userCode, grant } = await requestDeviceCode(deps, { clientName: body.client_name, address });
    const page = `${deps.baseUrl}/device`;
    const reply = {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: page,
      verification_uri_complete: `${page}?${new URLSearchParams({ user_code: userCode })}`,
      expires_in: limits.deviceGrantMs / 1000,
      interval: grant.intervalS,
    };
    return json(200, reply, NOT_STORED);
  }),
  on(routes.redeemDeviceCode, async ({ body, headers }) => {
    requireOwnOrigin(headers);
    const { redeemDeviceCode } = await importDeviceGrant();
    const call = { grantType: body.grant_type, deviceCode: body.device_code };
    try {
      const { token, expiresInS } = await redeemDeviceCode(deps, call);
      return json(200, { access_token: token, token_type: "Bearer", expires_in: expiresInS }, NOT_STORED);
    } catch (error) {
      return toOauthReply(error);
    }
  }),
  on(routes.getDeviceRequest, async ({ auth, params }) => {
    const { getDeviceRequest } = await importDeviceGrant();
    return json(200, await getDeviceRequest(deps, auth.actor, params.user_code), NOT_STORED);
  }),
  on(routes.decideDeviceRequest, async ({ auth, body: { user_code, approve }, headers }) => {
    requireOwnOrigin(headers);
    const { decideDeviceRequest } = await importDeviceGrant();
    const label = await decideDeviceRequest(deps, auth.actor, { userCode: user_code, approve });
    const message = approve ? `The device was allowed. Its token will be named "${label}".` : "The device was refused.";
    return nameAuditedResource(text(200, message), label);
  }),
];
