import { Stack, Text } from "@mantine/core";
import type { ApprovalInfo } from "../../../contract/routes/approvals/approvals.ts";
import { Facts } from "./facts.tsx";
import { isOver } from "./refetch-interval.ts";
import { Sheet } from "./sheet.tsx";
import type { Said } from "./use-approval.ts";
import { When } from "./when.tsx";

const titles = { approved: "Approved", rejected: "Rejected", expired: "Too late", canceled: "Canceled", open: "", waiting: "" } as const;

/** For who has just decided, and for who comes late: what was decided, by whom, and what came of it. */
export function Outcome({ info, said }: { info: ApprovalInfo; said: Said | undefined }) {
  return (
    <Sheet title={titles[info.state]} subtitle={info.step_summary || info.flow_summary} focus={said !== undefined}>
      <Stack gap="sm" role="status">
        <Decided info={info} said={said} />
        {info.decision?.reason && <Text className="text">Reason: {info.decision.reason}</Text>}
        <Text>{runText(info)}</Text>
      </Stack>
      <Facts info={info} />
    </Sheet>
  );
}

function Decided({ info: { state, decision }, said }: { info: ApprovalInfo; said: Said | undefined }) {
  if (state === "canceled") return <Text>The run ended before anybody decided.</Text>;
  if (!decision) return null;
  const when = <When at={decision.at} />;
  if (decision.how === "expired") return <Text>No decision was made in time: it was open until {when}.</Text>;
  const by = decision.by ?? "somebody with a link";
  const missed = said !== undefined && said !== decision.how;
  return (
    <>
      <Text>
        {decision.how === "approved" ? "Approved" : "Rejected"} by {by} on {when}.
      </Text>
      {missed && <Text>Your own decision came after that one.</Text>}
    </>
  );
}

const endings: Readonly<Record<string, string>> = {
  succeeded: "The run has ended well.",
  failed: "The run has failed.",
  canceled: "The run was canceled.",
  skipped: "The run ended early: there was nothing left to do.",
  suspended: "The run waits for another approval.",
  awaiting_approval: "The run waits for another approval.",
};

function runText(info: ApprovalInfo): string {
  const ending = endings[info.run_state];
  if (ending && (isOver(info) || info.state !== "canceled")) return ending;
  return "The run goes on. This page shows how it ends.";
}
