import { Paper, Stack, Text, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo, useRef } from "react";
import { Request, titleOf } from "../../../approval/ask.tsx";
import { type Approval, useApproval } from "../../../approval/data/use-approval.ts";
import { Ending, outcomeOf } from "../../../approval/outcome.tsx";
import { Facts } from "../../../approval/parts/facts.tsx";
import { DecisionDraftContext } from "../../../shared/decision-draft.ts";
import { waitingKey } from "../../data/waiting.ts";
import { Failed, Loading } from "../../frame/panel.tsx";
import { approvalsText } from "../../messages/approvals.ts";
import { useDecisionDraft } from "./use-decision-draft.ts";

interface ApprovalHereProps {
  workspace: string;
  /** The id of a gate, or of a flow that waits. */
  id: string;
  /** Shown below the title. */
  about?: ReactNode;
  /** Moves the focus here, because the reader has opened it. */
  focus?: boolean;
}

/** Shows a request of a flow with the controls for the decision, as the approval page does. */
export default function ApprovalHere({ workspace, id, about, focus = false }: ApprovalHereProps) {
  const approval = useApproval(useMemo(() => ({ workspace, id }), [workspace, id]));
  const queries = useQueryClient();
  const verdict = approval.phase === "ready" ? approval.verdict : undefined;
  useEffect(() => {
    if (!verdict) return;
    void queries.invalidateQueries({ queryKey: waitingKey(workspace) });
    void queries.invalidateQueries({ queryKey: [workspace, "run"] });
  }, [verdict, queries, workspace]);
  const heading = useRef<HTMLHeadingElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is opened once
  useEffect(() => {
    if (focus) heading.current?.focus();
  }, []);
  const isDecided = approval.phase === "ready" && approval.info.state !== "open";
  useEffect(() => {
    if (isDecided && verdict) heading.current?.focus();
  }, [isDecided, verdict]);
  return (
    <Paper withBorder p="md" component="section" aria-label={approvalsText.request}>
      <Stack gap="md">
        <div>
          <Title order={2} size="h4" ref={heading} tabIndex={-1}>
            {headingOf(approval)}
          </Title>
          {about}
        </div>
        <Content workspace={workspace} id={id} approval={approval} />
      </Stack>
    </Paper>
  );
}

type Ready = Extract<Approval, { phase: "ready" }>;

/** Shows a request that can be decided, and keeps its form and reason until the decision was sent. */
function OpenRequest({ workspace, id, approval }: { workspace: string; id: string; approval: Ready }) {
  const draft = useDecisionDraft(id, approval.info.form_schema);
  return (
    <DecisionDraftContext value={draft}>
      <Request address={{ workspace, id }} approval={approval} canSwitchUser={false} />
    </DecisionDraftContext>
  );
}

function headingOf(approval: Approval): string {
  if (approval.phase !== "ready") return approvalsText.request;
  const { info } = approval;
  return info.state === "open" ? titleOf(info) : `${outcomeOf(info)}: ${titleOf(info)}`;
}

function Content({ workspace, id, approval }: { workspace: string; id: string; approval: Approval }) {
  switch (approval.phase) {
    case "loading":
      return <Loading />;
    case "failed":
      return <Failed error={approval.refused} onRetry={approval.reload} />;
    case "empty":
      return (
        <>
          <Text>{approvalsText.notReached}</Text>
          <Facts info={approval.info} />
        </>
      );
    case "ready":
      return approval.info.state === "open" ? (
        <OpenRequest workspace={workspace} id={id} approval={approval} />
      ) : (
        <Ending info={approval.info} verdict={approval.verdict} />
      );
  }
}
