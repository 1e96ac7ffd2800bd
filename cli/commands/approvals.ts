import { BEFORE_HEADER, type JsonValue } from "../../contract/common.ts";
import { defined } from "../../contract/defined.ts";
import type { PendingApprovalJson } from "../../contract/routes/approvals/approvals.ts";
import type { Context } from "../context.ts";

/** Removes characters that a terminal interprets: other people wrote the texts of a request. */
const plain = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]+/gu, " ");
const oneLine = (value: unknown): string => plain(typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

/** Lists the requests for approval that the user may decide now, the oldest first. */
export async function listApprovals(context: Context, { limit }: { limit: number }): Promise<void> {
  const client = context.client();
  const found: PendingApprovalJson[] = [];
  let before: string | undefined;
  do {
    const { value, headers } = await client.ask.approvals.pending({ query: { before } });
    found.push(...value);
    before = headers.get(BEFORE_HEADER) ?? undefined;
  } while (before !== undefined && found.length < limit);
  const shown = found.sort((a, b) => a.opened_at.localeCompare(b.opened_at)).slice(0, limit);
  const rows = shown.map(({ gate_id, flow_path, summary, module_id, requested_by, deadline }) =>
    [gate_id, flow_path ?? "(not saved)", summary ?? module_id, requested_by, deadline ?? ""].map(oneLine),
  );
  const none = "No request waits for your decision.";
  context.output.data(shown, shown.length === 0 ? none : context.output.table(["ID", "FLOW", "STEP", "REQUESTED_BY", "UNTIL"], rows));
}

/** Shows the content of a request, its deadline, and the decisions so far. */
export async function showApproval(context: Context, id: string): Promise<void> {
  const info = await context.client().call.approvals.info({ job_id: id });
  const { flow_path: path, flow_summary: flow, step_summary: step, module_id: module, decision, inputs, context: values } = info;
  const lines = [
    ["Flow", [path ?? "(not saved)", flow].filter(Boolean).join(": ")],
    ["Step", step ?? module],
    ["Requested by", info.requested_by],
    [
      "State",
      decision ? `${decision.how}${decision.by ? ` by ${decision.by}` : ""}${decision.reason ? `: ${decision.reason}` : ""}` : info.state,
    ],
    ["Approvals", `${info.approvers.length} of ${info.required_events}`],
    ["Until", info.deadline],
    ["Message", info.message],
    ["Description", info.description],
    ...Object.entries(inputs ?? values ?? {}).map(([name, value]) => [`  ${name}`, value] as const),
    ["Form", info.form_schema],
    ["You may decide", info.can_approve ? "yes" : `no${info.refused ? ` (${info.refused.replaceAll("_", " ")})` : ""}`],
  ] as const;
  const filledLines = lines.filter(([, value]) => value !== undefined && value !== "");
  context.output.data(info, filledLines.map(([name, value]) => `${plain(name)}: ${oneLine(value)}`).join("\n"));
}

interface DecisionFlags {
  data?: unknown;
  reason?: string;
}

const decide = (approved: boolean) =>
  async function decideApproval(context: Context, id: string, { data, reason }: DecisionFlags): Promise<void> {
    const body = { approved, ...defined({ payload: data as JsonValue | undefined, reason }) };
    const outcome = await context.client().call.approvals.decide({ job_id: id, body });
    context.output.data({ id, outcome: outcome.trim() }, outcome.trim());
  };

export const approveRequest = decide(true);
export const rejectRequest = decide(false);
