import { Stack, Text } from "@mantine/core";
import type { ApprovalInfo } from "../../../contract/routes/approvals/approvals.ts";
import { Sheet } from "../shared/sheet.tsx";
import { Facts } from "./parts/facts.tsx";

export function NotYet({ info }: { info: ApprovalInfo }) {
  return (
    <Sheet title="Nothing to decide yet">
      <Stack gap="sm">
        <Text>The run has not reached this step yet. This page updates automatically.</Text>
        <Facts info={info} />
      </Stack>
    </Sheet>
  );
}
