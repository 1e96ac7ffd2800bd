import { Button, Group, Loader, Text } from "@mantine/core";
import { Note } from "./note.tsx";
import type { Refused } from "./service.ts";
import { Sheet } from "./sheet.tsx";
import { SignIn } from "./sign-in.tsx";

export function Loading({ subject }: { subject: string }) {
  return (
    <Group justify="center" p="xl" role="status">
      <Loader aria-hidden />
      <Text>Loading {subject}…</Text>
    </Group>
  );
}

interface FailedProps {
  refused: Refused;
  onRetry?: () => void;
  /** The reason for which the visitor should sign in, if that may help. */
  signInWhy?: string | undefined;
}

export function Failed({ refused, onRetry, signInWhy }: FailedProps) {
  return (
    <Sheet title={refused.status === 401 ? "Sign in" : "This page can't be displayed"}>
      <Note tone="bad">{refused.message}</Note>
      {signInWhy && onRetry ? (
        <SignIn why={signInWhy} onSignedIn={onRetry} />
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
