import { createClient } from "../../../contract/client/client.ts";
import type { Reply } from "../../../contract/client/operation.ts";
import { deviceOperations, peopleOperations } from "../../../contract/client/operations/people.ts";
import { send } from "../shared/service.ts";

export type DeviceRequest = Reply<"auth.getDeviceRequest">;

const { call } = createClient({ ...deviceOperations, ...peopleOperations }, send);

/** Returns the e-mail address of the signed-in user. */
export const loadEmail = (): Promise<string> => call.users.email();

export const loadRequest = (code: string): Promise<DeviceRequest> => call.auth.getDeviceRequest({ user_code: code });

export async function decide(request: DeviceRequest, approve: boolean): Promise<void> {
  await call.auth.decideDeviceRequest({ body: { user_code: request.user_code, approve } });
}
