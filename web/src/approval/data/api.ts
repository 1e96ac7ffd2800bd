import { createClient } from "../../../../contract/client/client.ts";
import { approvalOperations } from "../../../../contract/client/operations/approvals.ts";
import type { JsonValue } from "../../../../contract/common.ts";
import { defined } from "../../../../contract/defined.ts";
import type { ApprovalInfo } from "../../../../contract/routes/approvals/approvals.ts";
import { Refused, send, signOut } from "../../shared/service.ts";
import type { Address } from "./address.ts";

export interface Decision {
  approved: boolean;
  payload?: unknown;
  reason?: string;
}

const { call } = createClient(approvalOperations, send);

export async function loadInfo({ workspace, id, token }: Address): Promise<ApprovalInfo> {
  const load = () => call.approvals.info({ workspace, job_id: id, query: { token } });
  try {
    return await load();
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== "auth.invalid") throw error;
    // An expired session is ignored, because a link may need none.
    await signOut();
    return load();
  }
}

export async function decide({ workspace, id, token }: Address, { payload, ...decision }: Decision): Promise<void> {
  const body = { ...decision, ...defined({ payload: payload as JsonValue | undefined, approval_token: token }) };
  await call.approvals.decide({ workspace, job_id: id, body });
}
