import type { ApiClient } from "../api/client.ts";
import type { Context } from "../context.ts";
import { isTerminal } from "../output/terminal.ts";

/** Prints the approvals for which a flow waits. A link alone can decide, so it is shown only on a terminal: logs of CI have other readers. */
export async function showGates(context: Context, client: ApiClient, flow: string): Promise<void> {
  const { gates } = await client.call.approvals.run({ run_id: flow });
  for (const gate of gates.filter(({ decision }) => decision === undefined)) {
    const { module_id: step, summary, message, approvers, required_events: required, approved_by: approvals, deadline, links } = gate;
    const lines = [
      summary,
      message,
      `${approvals.length} of ${required} approvals`,
      approvers.length > 0 ? `approvers: ${approvers.join(", ")}` : undefined,
      deadline === undefined ? undefined : `until ${deadline}`,
      isTerminal() && links ? links.approvalPage : undefined,
    ];
    const text = lines.filter((line) => line !== undefined && line !== "").map((line) => `${step}: ${line}\n`);
    context.output.progress({ step, gate: { summary, message, approvers, required_events: required, deadline } }, text.join(""));
  }
}
