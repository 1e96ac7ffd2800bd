import type { Command } from "commander";
import { type Action, run } from "./action.ts";
import { data } from "./json-option.ts";
import { parseWhole } from "./parse-whole.ts";

/** Adds the commands for the requests that wait for a decision of the user. */
export function addApprovalCommands(program: Command): void {
  const load = (name: "listApprovals" | "showApproval" | "approveRequest" | "rejectRequest") => async () =>
    (await import("../commands/approvals.ts"))[name] as Action;
  const approvals = program.command("approvals").description("The requests for approval that wait for you.");
  run(
    approvals
      .command("list")
      .description("List the requests that you may decide now, the oldest first.")
      .option("--limit <count>", "at most this many", parseWhole(1), 100),
    "read",
    load("listApprovals"),
  );
  const withId = (name: string, description: string) =>
    approvals.command(name).description(description).argument("<id>", "id of the request, or of the run that waits");
  run(withId("show", "Show what a request asks for, and until when."), "read", load("showApproval"));
  run(
    withId("approve", "Approve a request.")
      .addOption(data("the values of its form as a JSON object"))
      .option("--reason <text>", "reason for the record"),
    "change",
    load("approveRequest"),
  );
  run(
    withId("reject", "Reject a request.").option("--reason <text>", "reason that the flow and its starter see"),
    "change",
    load("rejectRequest"),
  );
}
