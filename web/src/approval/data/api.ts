import type { ApprovalInfo } from "../../../../contract/routes/approvals/approvals.ts";
import { call, Refused } from "../../shared/service.ts";
import type { Address } from "./address.ts";

export interface Decision {
  approved: boolean;
  payload?: unknown;
  reason?: string;
}

const flowRoute = ({ workspace, id }: Address, name: string) =>
  `/api/w/${encodeURIComponent(workspace)}/jobs_u/flow/${name}/${encodeURIComponent(id)}`;

export async function loadInfo(address: Address): Promise<ApprovalInfo> {
  const query = address.token === undefined ? "" : `?${new URLSearchParams({ token: address.token })}`;
  const load = async () => (await call("GET", `${flowRoute(address, "approval_info")}${query}`)).json();
  try {
    return await load();
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== "auth.invalid") throw error;
    // An expired session is ignored, because a link may need none.
    await call("POST", "/api/auth/logout");
    return load();
  }
}

export async function decide(address: Address, decision: Decision): Promise<void> {
  const link = address.token === undefined ? {} : { approval_token: address.token };
  await call("POST", flowRoute(address, "resume_suspended"), { ...decision, ...link });
}
