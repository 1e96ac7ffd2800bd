import { Anchor, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useEffect, useState } from "react";
import { Note } from "./note.tsx";
import { type Login, loadLogins, loginAddress, Refused, signIn } from "./service.ts";

interface SignInProps {
  why: string;
  onSignedIn: () => void;
}

/** Sign-in is part of the page, so that the visitor stays at the request. */
export function SignIn({ why, onSignedIn }: SignInProps) {
  const [logins, setLogins] = useState<{ passwords: boolean; others: Login[] }>({ passwords: true, others: [] });
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  useEffect(() => {
    // Without the list, signing in with a password is still offered.
    loadLogins().then(setLogins, () => {});
  }, []);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    setBusy(true);
    setRefusal(undefined);
    try {
      await signIn(String(values.get("email")), String(values.get("password")));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      setBusy(false);
      setRefusal(error.message);
      return;
    }
    onSignedIn();
  };

  return (
    <section aria-label="Sign in">
      <Stack gap="sm">
        <Text>{why}</Text>
        {refusal && <Note tone="bad">{refusal}</Note>}
        {logins.passwords && (
          <form onSubmit={submit}>
            <Stack gap="sm">
              <TextInput name="email" type="email" label="Email" autoComplete="username" required withAsterisk={false} />
              <TextInput name="password" type="password" label="Password" autoComplete="current-password" required withAsterisk={false} />
              <Group className="actions">
                <Button type="submit" color="blue.8" loading={busy}>
                  Sign in
                </Button>
              </Group>
            </Stack>
          </form>
        )}
        {logins.others.map(({ type, display_name }) => (
          <Anchor key={type} underline="always" href={loginAddress(type)}>
            Sign in with {display_name ?? type}
          </Anchor>
        ))}
      </Stack>
    </section>
  );
}
