import type { DeviceRequestJson } from "../../../contract/routes/people/device.ts";
import { call } from "../shared/service.ts";

export type DeviceRequest = DeviceRequestJson;

/** Returns the e-mail address of the signed-in user. */
export const loadEmail = async (): Promise<string> => (await call("GET", "/api/users/email")).text();

export const loadRequest = async (code: string): Promise<DeviceRequest> =>
  (await call("GET", `/api/auth/device/${encodeURIComponent(code)}`)).json();

export async function decide(request: DeviceRequest, approve: boolean): Promise<void> {
  await call("POST", "/api/auth/device/approve", { user_code: request.user_code, approve });
}
