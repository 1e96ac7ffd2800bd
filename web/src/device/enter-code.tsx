import { Button, Group, Stack, TextInput } from "@mantine/core";
import type { FormEvent } from "react";
import { Note } from "../shared/note.tsx";
import type { Refused } from "../shared/service.ts";
import { Sheet } from "../shared/sheet.tsx";

interface EnterCodeProps {
  /** The code that does not exist. */
  code: string | undefined;
  refused: Refused | undefined;
  busy: boolean;
  onEntered: (code: string) => void;
}

export function EnterCode({ code, refused, busy, onEntered }: EnterCodeProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onEntered(String(new FormData(event.currentTarget).get("code")).trim());
  };
  return (
    <Sheet title="Sign in a device">
      <form onSubmit={submit}>
        <Stack gap="md">
          {refused && (
            <Note tone="bad" focus={refused}>
              {refused.message}
            </Note>
          )}
          <TextInput
            name="code"
            label="Code"
            description="Your device or your terminal shows it, for example BCDF-GHJK."
            defaultValue={code}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={50}
            pattern=".*\S.*"
            required
          />
          <Group className="actions">
            <Button type="submit" color="blue.8" loading={busy}>
              Continue
            </Button>
          </Group>
        </Stack>
      </form>
    </Sheet>
  );
}
