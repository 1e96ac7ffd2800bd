import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { Fact } from "../shared/fact.tsx";
import { Note } from "../shared/note.tsx";
import { Refused } from "../shared/service.ts";
import { Sheet } from "../shared/sheet.tsx";
import { SignIn } from "../shared/sign-in.tsx";
import { When } from "../shared/time/when.tsx";
import { type DeviceRequest, decide } from "./api.ts";

interface ConfirmProps {
  email: string;
  request: DeviceRequest;
  onDecided: (decision: "allowed" | "refused") => void;
  onOtherUser: () => void;
}

/**
 * Shows the request and takes the decision. The user must confirm the code, also if a link contained it: otherwise a stranger could send a
 * link to their own request (RFC 8628 §5.4).
 */
export function Confirm({ email, request, onDecided, onOtherUser }: ConfirmProps) {
  const [otherUser, setOtherUser] = useState(false);
  const [sending, setSending] = useState<"allowed" | "refused">();
  const [refused, setRefused] = useState<Refused>();
  const { user_code, client_name, requested_at, address } = request;

  const send = async (decision: "allowed" | "refused") => {
    setSending(decision);
    setRefused(undefined);
    try {
      await decide(request, decision === "allowed");
    } catch (error) {
      setSending(undefined);
      if (!(error instanceof Refused)) throw error;
      setRefused(error);
      return;
    }
    onDecided(decision);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send("allowed");
  };

  return (
    <Sheet title="Allow this device?" focus>
      <dl className="facts">
        <Fact name="Code">
          <strong className="code">{user_code}</strong>
        </Fact>
        <Fact name="Device">{client_name ?? "It has no name."}</Fact>
        <Fact name="Requested on">
          <When at={requested_at} />
        </Fact>
        <Fact name="From address">{address}</Fact>
        <Fact name="Your account">{email}</Fact>
      </dl>
      <Text>
        If you allow it, the device can do everything that you can do here, for 90 days. Refuse if you did not start this sign-in yourself,
        or if another person sent you the code or a link to this page. The device chose its name itself.
      </Text>
      <form onSubmit={submit}>
        <Stack gap="md">
          {refused && (
            <Note tone="bad" title="Not decided" focus={refused}>
              {refused.message}
            </Note>
          )}
          <Checkbox label={`I started this sign-in, and my device shows the code ${user_code}.`} required />
          <Group className="actions">
            <Button type="submit" color="teal.9" loading={sending === "allowed"} disabled={sending === "refused"}>
              Allow
            </Button>
            <Button
              type="button"
              variant="default"
              loading={sending === "refused"}
              disabled={sending === "allowed"}
              onClick={() => send("refused")}
            >
              Refuse
            </Button>
            {!otherUser && (
              <Button type="button" variant="default" disabled={sending !== undefined} onClick={() => setOtherUser(true)}>
                Sign in as another user
              </Button>
            )}
          </Group>
        </Stack>
      </form>
      {otherUser && <SignIn why="Sign in as another user." onSignedIn={onOtherUser} />}
    </Sheet>
  );
}
