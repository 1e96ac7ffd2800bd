import { Button, Group, Loader, Stack, Text } from "@mantine/core";
import type { ApprovalInfo } from "../../../contract/routes/approvals/approvals.ts";
import type { Refused } from "./data/api.ts";
import { Facts } from "./parts/facts.tsx";
import { Note } from "./parts/note.tsx";
import { Sheet } from "./parts/sheet.tsx";
import { SignIn } from "./sign-in.tsx";

export function Loading() {
  return (
    <Group justify="center" p="xl" role="status">
      <Loader aria-hidden />
      <Text>Loading the approval…</Text>
    </Group>
  );
}

interface FailedProps {
  refused: Refused;
  onRetry?: () => void;
  /** A visitor without a link may be unknown to the service. */
  maySignIn?: boolean;
}

export function Failed({ refused, onRetry, maySignIn = false }: FailedProps) {
  const signIn = refused.status === 401 || (maySignIn && [403, 404].includes(refused.status));
  return (
    <Sheet title={refused.status === 401 ? "Sign in" : "This page can't be displayed"}>
      <Note tone="bad">{refused.message}</Note>
      {signIn && onRetry ? (
        <SignIn why="Sign in as an approver to see this request." onSignedIn={onRetry} />
      ) : (
        onRetry && (
          <Group>
            <Button variant="default" onClick={onRetry}>
              Try again
            </Button>
          </Group>
        )
      )}
    </Sheet>
  );
}

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
