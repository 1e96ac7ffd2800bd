import { Text } from "@mantine/core";
import type { ApprovalInfo } from "../../../../contract/routes/approvals/approvals.ts";
import { Fact } from "../../shared/fact.tsx";
import { Deadline } from "../../shared/time/deadline.tsx";
import { When } from "../../shared/time/when.tsx";

/** Shows the requester, the time of the request, the deadline and the approvers so far. */
export function Facts({ info }: { info: ApprovalInfo }) {
  const { requested_by, opened_at, deadline, approvers, required_events, flow_path, skin, state } = info;
  const several = required_events > 1 || approvers.length > 0;
  return (
    <dl className="facts">
      {skin === "detailed" && flow_path && <Fact name="Flow">{flow_path}</Fact>}
      {skin === "detailed" && <Fact name="Asked by">{requested_by}</Fact>}
      {skin === "detailed" && opened_at && (
        <Fact name="Asked on">
          <When at={opened_at} />
        </Fact>
      )}
      {deadline && state === "open" && (
        <Fact name="Decide by">
          <Deadline at={deadline} />
        </Fact>
      )}
      {several && (
        <Fact name="Approvals">
          <Text component="span">
            {approvers.length} of {required_events}
          </Text>
          {approvers.length > 0 && (
            <ul className="approvers">
              {approvers.map(({ approver, resume_id }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: people who approve signed in share a resume id, and none ever leaves the list
                <li key={`${resume_id} ${index}`}>{approver || "Holder of a link"}</li>
              ))}
            </ul>
          )}
        </Fact>
      )}
    </dl>
  );
}
