import { Table, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ModuleStatus } from "../../../../../contract/routes/flows/flow-status.ts";
import type { RunState } from "../../data/run-state.ts";
import { runText } from "../../messages/run.ts";
import { StateBadge } from "../../parts/state-badge.tsx";
import type { RunJob } from "./use-run.ts";

const states: Readonly<Record<ModuleStatus["type"], RunState | undefined>> = {
  WaitingForPriorSteps: undefined,
  WaitingForEvents: "awaiting_approval",
  WaitingForExecutor: "queued",
  InProgress: "running",
  Success: "succeeded",
  Failure: "failed",
};

/** Describes the iterations, the branch, the attempts and the approvers of a step. */
function describeStep(step: ModuleStatus): string[] {
  const text = runText.steps;
  const facts: string[] = [];
  if ("iterator" in step && step.iterator?.itered_len !== undefined)
    facts.push(text.iterations(step.iterator.index, step.iterator.itered_len));
  if ("branch_chosen" in step && step.branch_chosen)
    facts.push(step.branch_chosen.type === "default" ? text.defaultBranch : text.branch(step.branch_chosen.branch ?? 0));
  if ("failed_retries" in step && step.failed_retries?.length) facts.push(text.attempts(step.failed_retries.length));
  if ("approvers" in step && step.approvers?.length) facts.push(text.approvedBy(step.approvers.map(({ approver }) => approver).join(", ")));
  return facts;
}

/** The steps of a flow as a list. */
export function Steps({ workspace, run }: { workspace: string; run: RunJob }) {
  const text = runText.steps;
  const { flow_status: status, raw_flow: flow } = run;
  if (!status) return <Text c="dimmed">{runText.noSteps}</Text>;
  const summaries = new Map((flow?.modules ?? []).map((module) => [module.id, module.summary ?? ""]));
  const steps = [...(status.preprocessor_module ? [status.preprocessor_module] : []), ...status.modules];
  return (
    <div className="table-scroll">
      <Table>
        <Table.Caption className="hidden">{text.caption}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{text.step}</Table.Th>
            <Table.Th scope="col">{text.summary}</Table.Th>
            <Table.Th scope="col">{text.state}</Table.Th>
            <Table.Th scope="col">{text.details}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {steps.map((step) => {
            const state = "skipped" in step && step.skipped ? "skipped" : states[step.type];
            return (
              <Table.Tr key={step.id}>
                <Table.Td>
                  {"job" in step ? (
                    <Link to="/w/$ws/runs/$id" params={{ ws: workspace, id: step.job }}>
                      {step.id}
                    </Link>
                  ) : (
                    step.id
                  )}
                </Table.Td>
                <Table.Td>{summaries.get(step.id)}</Table.Td>
                <Table.Td>{state ? <StateBadge state={state} /> : <Text c="dimmed">{text.waiting}</Text>}</Table.Td>
                <Table.Td>{describeStep(step).join(", ")}</Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </div>
  );
}
