import { Stack, Text } from "@mantine/core";
import type { ApprovalInfo } from "../../../contract/routes/approvals/approvals.ts";
import { Sheet } from "../shared/sheet.tsx";
import { When } from "../shared/time/when.tsx";
import { isOver } from "./data/refetch-interval.ts";
import type { Verdict } from "./data/use-approval.ts";
import { Facts } from "./parts/facts.tsx";

const titles = { approved: "Approved", rejected: "Rejected", expired: "Too late", canceled: "Canceled", open: "", waiting: "" } as const;

interface OutcomeProps {
  info: ApprovalInfo;
  verdict: Verdict | undefined;
}

export const outcomeOf = ({ state }: ApprovalInfo): string => titles[state];

/** Shows the outcome of a request as a page. */
export function Outcome({ info, verdict }: OutcomeProps) {
  return (
    <Sheet title={outcomeOf(info)} subtitle={info.step_summary || info.flow_summary} focus={verdict !== undefined}>
      <Ending info={info} verdict={verdict} />
    </Sheet>
  );
}

/** The decision, its author and its effect, after the decision and for later visitors. */
export function Ending({ info, verdict }: OutcomeProps) {
  return (
    <>
      <Stack gap="sm" role="status">
        <Decided info={info} verdict={verdict} />
        {info.decision?.reason && <Text className="text">Reason: {info.decision.reason}</Text>}
        <Text>{runText(info)}</Text>
      </Stack>
      <Facts info={info} />
    </>
  );
}

function Decided({ info: { state, decision }, verdict }: OutcomeProps) {
  if (state === "canceled") return <Text>The run ended before a decision was made.</Text>;
  if (!decision) return null;
  const when = <When at={decision.at} />;
  if (decision.how === "expired") return <Text>No decision was made in time. This request expired on {when}.</Text>;
  const by = decision.by ?? "the holder of a link";
  const missed = verdict !== undefined && verdict !== decision.how;
  return (
    <>
      <Text>
        {decision.how === "approved" ? "Approved" : "Rejected"} by {by} on {when}.
      </Text>
      {missed && <Text>Your decision came later and does not count.</Text>}
    </>
  );
}

const endings: Readonly<Record<string, string>> = {
  succeeded: "The run succeeded.",
  failed: "The run failed.",
  canceled: "The run was canceled.",
  skipped: "The run ended early, because no more steps were necessary.",
  suspended: "The run is waiting for another approval.",
  awaiting_approval: "The run is waiting for another approval.",
};

function runText(info: ApprovalInfo): string {
  const ending = endings[info.run_state];
  if (ending && (isOver(info) || info.state !== "canceled")) return ending;
  return "The run continues. This page will show its outcome.";
}
