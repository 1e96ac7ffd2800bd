import { Button, Container, Group, Paper, Stack, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Navigate, useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useEffect, useState } from "react";
import { basePath } from "../../../shared/base-path.ts";
import { Note } from "../../../shared/note.tsx";
import { Refused } from "../../../shared/service.ts";
import { SignIn } from "../../../shared/sign-in.tsx";
import { returnAddress } from "../../data/address.ts";
import { call } from "../../data/api.ts";
import { chooseWorkspace } from "../../data/last-workspaces.ts";
import { workspacesQuery } from "../../data/me.ts";
import { preferencesQuery } from "../../data/preferences.ts";
import { session } from "../../data/session.ts";
import { loadOnDemand } from "../../frame/load-on-demand.tsx";
import { Page } from "../../frame/page.tsx";
import { Failed, Loading } from "../../frame/panel.tsx";
import { frameText } from "../../messages/frame.ts";
import { loginText } from "../../messages/login.ts";

const NoWorkspace = loadOnDemand(() => import("./no-workspace.tsx"));

/** Signs a person in, or continues to the requested page or the last workspace. */
export default function LoginPage() {
  const { to, link } = useSearch({ strict: false });
  const queries = useQueryClient();
  const workspaces = useQuery({ ...workspacesQuery, staleTime: 0, gcTime: 0 });
  const refused = workspaces.error;
  const continueSignedIn = () => {
    session.resume();
    void queries.resetQueries();
  };
  const isSignedOut = refused instanceof Refused && refused.status === 401;
  return (
    <Container component="main" id="content" size="xs" py="xl">
      {workspaces.data && <Continue to={to} ids={workspaces.data.map(({ id }) => id)} />}
      {!workspaces.data && !refused && <Loading />}
      {refused && !isSignedOut && (
        <Page title={frameText.failed}>
          <Failed error={refused} guide="console#sign-in" onRetry={() => void workspaces.refetch()} />
        </Page>
      )}
      {isSignedOut && (
        <Paper withBorder p="lg" radius="md">
          <Page title={loginText.title}>
            <Stack gap="lg">
              {link === "used" && <Note tone="plain">{loginText.linkUsed}</Note>}
              <SignIn why={loginText.why} onSignedIn={continueSignedIn} />
              <TokenSignIn onSignedIn={continueSignedIn} />
            </Stack>
          </Page>
        </Paper>
      )}
    </Container>
  );
}

function Continue({ to, ids }: { to: string | undefined; ids: readonly string[] }) {
  const address = returnAddress(to);
  const navigate = useNavigate();
  const queries = useQueryClient();
  // The copy in this browser can belong to another person.
  useEffect(() => void queries.prefetchQuery({ ...preferencesQuery, staleTime: 0 }), [queries]);
  const ws = chooseWorkspace(ids);
  // A part of an address is no typed route.
  if (address) return <Redirect go={() => void navigate({ href: `${basePath}${address}`, replace: true })} />;
  if (ws !== undefined) return <Navigate to="/w/$ws" params={{ ws }} replace />;
  return <NoWorkspace />;
}

function Redirect({ go }: { go: () => void }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a redirect happens once
  useEffect(go, []);
  return null;
}

function TokenSignIn({ onSignedIn }: { onSignedIn: () => void }) {
  const [isBusy, setIsBusy] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const token = String(new FormData(event.currentTarget).get("token")).trim();
    setIsBusy(true);
    setRefusal(undefined);
    try {
      await call.auth.beginSession({ headers: { authorization: `Bearer ${token}` } });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      setIsBusy(false);
      return setRefusal(error.message);
    }
    onSignedIn();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {refusal && <Note tone="bad">{refusal}</Note>}
        <TextInput
          name="token"
          type="password"
          label={loginText.token}
          description={loginText.tokenHelp}
          autoComplete="off"
          required
          withAsterisk={false}
        />
        <Group>
          <Button type="submit" variant="default" loading={isBusy}>
            {loginText.withToken}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
