import { Stack, Text } from "@mantine/core";
import type { ApprovalInfo } from "../../../contract/routes/approvals/approvals.ts";
import { Sheet } from "../shared/sheet.tsx";
import { When } from "../shared/time/when.tsx";
import { isOver } from "./data/refetch-interval.ts";
import type { Verdict } from "./data/use-approval.ts";
import { Facts } from "./parts/facts.tsx";

const titles = { approved: "Approved", rejected: "Rejected", expired: "Too late", canceled: "Canceled", open: "", waiting: "" } as const;

/** Shows the decision, its author and its effect, after the decision and to later visitors. */
export function Outcome({ info, verdict }: { info: ApprovalInfo; verdict: Verdict | undefined }) {
  return (
    <Sheet title={titles[info.state]} subtitle={info.step_summary || info.flow_summary} focus={verdict !== undefined}>
      <Stack gap="sm" role="status">
        <Decided info={info} verdict={verdict} />
        {info.decision?.reason && <Text className="text">Reason: {info.decision.reason}</Text>}
        <Text>{runText(info)}</Text>
      </Stack>
      <Facts info={info} />
    </Sheet>
  );
}

function Decided({ info: { state, decision }, verdict }: { info: ApprovalInfo; verdict: Verdict | undefined }) {
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
