import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { refusals } from "../../../contract/approvals/refusals.ts";
import type { ApprovalInfo } from "../../../contract/routes/approvals/approvals.ts";
import { Note } from "../shared/note.tsx";
import { Sheet } from "../shared/sheet.tsx";
import { SignIn } from "../shared/sign-in.tsx";
import { Tree } from "../shared/tree.tsx";
import type { Address } from "./data/address.ts";
import type { Approval } from "./data/use-approval.ts";
import { Decide } from "./decide.tsx";
import { Description } from "./description/description.tsx";
import { Facts } from "./parts/facts.tsx";

export type ReadyApproval = Extract<Approval, { phase: "ready" }>;

interface RequestProps {
  address: Address;
  approval: ReadyApproval;
  /** Whether a visitor who may not decide can sign in as another user. Default: true. */
  canSwitchUser?: boolean;
}

export const titleOf = ({ step_summary, flow_summary }: ApprovalInfo): string => step_summary || flow_summary || "Approval";

/** Shows a request as a page. */
export function Ask({ address, approval }: RequestProps) {
  const { info } = approval;
  return (
    <Sheet title={titleOf(info)} subtitle={info.step_summary ? info.flow_summary : undefined}>
      <Request address={address} approval={approval} />
    </Sheet>
  );
}

/** The content of a request and the controls for the decision. */
export function Request({ address, approval, canSwitchUser = true }: RequestProps) {
  const { info } = approval;
  return (
    <>
      <Facts info={info} />
      {info.message && <Text className="message">{info.message}</Text>}
      <Description description={info.description} />
      <Values title="Inputs" values={info.inputs} open />
      <Values title="Context" values={info.context} />
      <Turn address={address} approval={approval} canSwitchUser={canSwitchUser} />
    </>
  );
}

function Values({ title, values, open = false }: { title: string; values: Record<string, unknown> | undefined; open?: boolean }) {
  if (!values || Object.keys(values).length === 0) return null;
  return (
    <section aria-label={title}>
      <Title order={2} size="h4">
        {title}
      </Title>
      <Tree value={values} open={open} />
    </section>
  );
}

/** Shows who decides: the visitor, possibly after signing in, or another person. */
function Turn({ address, approval, canSwitchUser }: Required<RequestProps>) {
  const { info, verdict, reload } = approval;
  if (verdict === "approved" || hasApproved(info, address)) return <Thanks info={info} focus={verdict !== undefined} />;
  if (info.refused === "sign_in") return <SignIn why={refusals.sign_in.page} onSignedIn={reload} />;
  if (info.refused || !info.can_approve) return <NotYou info={info} onSignedIn={canSwitchUser ? reload : undefined} />;
  return (
    <Stack gap="xs">
      {info.signed_in_as && <Text c="dimmed">You are signed in as {info.signed_in_as}.</Text>}
      <Decide approval={approval} />
    </Stack>
  );
}

/** Each link is one approval. If approvers must sign in, each person counts once. */
const hasApproved = (info: ApprovalInfo, { resumeId }: Address) =>
  info.approvers.some(({ approver, resume_id }) =>
    info.user_auth_required || resumeId === undefined ? approver === info.signed_in_as : resume_id === resumeId,
  );

function Thanks({ info, focus }: { info: ApprovalInfo; focus: boolean }) {
  const left = info.required_events - info.approvers.length;
  return (
    <Note tone="good" title="You have approved" focus={focus}>
      {left > 0 ? `The flow continues after ${left} more ${left === 1 ? "approval" : "approvals"}.` : "The flow continues."}
    </Note>
  );
}

function NotYou({ info, onSignedIn }: { info: ApprovalInfo; onSignedIn: (() => void) | undefined }) {
  const [other, setOther] = useState(false);
  const why = info.refused ? refusals[info.refused].page : "You can't decide this request.";
  return (
    <Stack gap="sm">
      <Note tone="plain" title="You can't decide this request">
        {why}
        {info.signed_in_as && <Text>You are signed in as {info.signed_in_as}.</Text>}
      </Note>
      {onSignedIn && other && <SignIn why="Sign in as another user." onSignedIn={onSignedIn} />}
      {onSignedIn && !other && (
        <Group>
          <Button variant="default" onClick={() => setOther(true)}>
            Sign in as another user
          </Button>
        </Group>
      )}
    </Stack>
  );
}
