import { Button, Code, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { VerifiedRecord } from "../../../../../contract/routes/approvals/approval-records.ts";
import { Note } from "../../../shared/note.tsx";
import { call } from "../../data/api.ts";
import { Failed } from "../../frame/panel.tsx";
import { approvalsText } from "../../messages/approvals.ts";
import { copyText } from "../../parts/copy.ts";
import { addVerified } from "./record.ts";

/** Verifies the record of all runs, and shows the command that does the same on the user's computer. */
export function Verification({ workspace }: { workspace: string }) {
  const [runs, setRuns] = useState(0);
  const verify = useMutation({
    mutationFn: async () => {
      let sum: VerifiedRecord | undefined;
      do {
        setRuns(sum?.runs ?? 0);
        sum = addVerified(sum, await call.approvals.verify({ workspace, query: { from: sum?.next } }));
      } while (sum.next !== undefined);
      return sum;
    },
  });
  return (
    <Stack gap="xs">
      <Text size="sm">
        {approvalsText.verifyWhy} <Code>{approvalsText.command}</Code>
      </Text>
      <Group gap="xs">
        <Button size="xs" variant="default" loading={verify.isPending} onClick={() => verify.mutate()}>
          {approvalsText.verify}
        </Button>
        <Button size="xs" variant="default" onClick={() => void copyText(approvalsText.command)}>
          {approvalsText.copy}
        </Button>
        {verify.isPending && (
          <Text size="sm" role="status">
            {approvalsText.verifying(runs)}
          </Text>
        )}
      </Group>
      {verify.error && <Failed error={verify.error} onRetry={() => verify.mutate()} />}
      {verify.data && <Verified record={verify.data} />}
    </Stack>
  );
}

function Verified({ record: { ok, entries, runs, faults, anchors } }: { record: VerifiedRecord }) {
  return (
    <Note tone={ok ? "good" : "bad"} title={ok ? approvalsText.intact : approvalsText.faulty} focus>
      {ok && <Text>{approvalsText.intactWhy(entries, runs)}</Text>}
      {faults.map(({ run, n, why }) => (
        <Text key={`${run} ${n}`} className="path">
          {run === undefined ? approvalsText.anchorFault(n) : `${run}: ${approvalsText.fault(n)}`}
          {approvalsText.faults[why]}
        </Text>
      ))}
      <Text>{anchors.signed_to === undefined ? approvalsText.unsigned : approvalsText.signedTo(anchors.signed_to)}</Text>
    </Note>
  );
}
