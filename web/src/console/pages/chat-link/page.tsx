import { Anchor, Button, Container, Paper, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Refused } from "../../../shared/service.ts";
import { SignIn } from "../../../shared/sign-in.tsx";
import { call } from "../../data/objects-api.ts";
import { session } from "../../data/session.ts";
import { Page } from "../../frame/page.tsx";
import { Empty, Failed, Loading } from "../../frame/panel.tsx";
import { chatLinkText as text } from "../../messages/objects/chat-accounts.ts";
import { ConfirmLink } from "./confirm-link.tsx";
import { forgetLink, isLinkGone, takeLink } from "./link.ts";

const GUIDE = "console#chat-accounts";

/** Connects the person in a chat who asked for a link with the signed-in user. Only a press of the button connects them. */
export default function ChatLinkPage() {
  const link = useLink();
  // Another link can be opened in the same tab.
  const [done, setDone] = useState<{ link: string; name: string }>();
  const connected = done?.link === link ? done?.name : undefined;
  return (
    <Container component="main" id="content" size="sm" py="xl">
      <Paper withBorder p="lg" radius="md">
        <Page title={connected === undefined ? text.title : text.done}>
          {connected !== undefined && <Connected name={connected} />}
          {connected === undefined && link === undefined && (
            <Empty title={text.noLink} guide={GUIDE}>
              <Text>{text.noLinkWhy}</Text>
            </Empty>
          )}
          {connected === undefined && link !== undefined && (
            <FoundLink
              key={link}
              link={link}
              onConnected={(name) => {
                forgetLink(sessionStorage);
                setDone({ link, name });
              }}
            />
          )}
        </Page>
      </Paper>
    </Container>
  );
}

/** Returns the link, and removes it from the address. */
function useLink(): string | undefined {
  const { hash } = useLocation();
  const navigate = useNavigate();
  const [link, setLink] = useState(() => takeLink(hash, sessionStorage));
  useEffect(() => {
    if (!hash) return;
    setLink(takeLink(hash, sessionStorage));
    void navigate({ to: ".", hash: "", replace: true });
  }, [hash, navigate]);
  return link;
}

function FoundLink({ link, onConnected }: { link: string; onConnected: (name: string) => void }) {
  const [isOtherUser, setIsOtherUser] = useState(false);
  const queries = useQueryClient();
  const found = useQuery({
    queryKey: ["chat link", link],
    queryFn: ({ signal }) => call.chatAccounts.findLink({ body: { link }, signal }),
    gcTime: 0,
  });
  const restart = () => {
    session.resume();
    setIsOtherUser(false);
    // The loaded data belongs to the user who was signed in before.
    void queries.resetQueries();
  };
  const { data, error } = found;
  const isGone = isLinkGone(error);
  useEffect(() => {
    if (isGone) forgetLink(sessionStorage);
  }, [isGone]);
  if (!data && error instanceof Refused && error.status === 401) return <SignIn why={text.signIn} onSignedIn={restart} />;
  if (!data && isGone) {
    return (
      <Empty title={text.gone} guide={GUIDE}>
        <Text>{text.goneWhy}</Text>
        <ToAccounts />
      </Empty>
    );
  }
  if (!data && !error) return <Loading />;
  const isOtherPerson = error instanceof Refused && error.code === "chat.otherPerson";
  const otherUser = isOtherUser ? (
    <SignIn why={text.otherUserWhy} onSignedIn={restart} />
  ) : (
    <div>
      <Button variant="default" onClick={() => setIsOtherUser(true)}>
        {text.otherUser}
      </Button>
    </div>
  );
  return (
    <Stack gap="lg">
      {data ? (
        <ConfirmLink link={link} person={data} onConnected={() => onConnected(data.name)} />
      ) : (
        <Failed error={error} guide={GUIDE} onRetry={() => void found.refetch()} />
      )}
      {(data || isOtherPerson) && otherUser}
    </Stack>
  );
}

const Connected = ({ name }: { name: string }) => (
  <Stack gap="sm" align="flex-start">
    <Text role="status">{text.doneWhy(name)}</Text>
    <ToAccounts />
  </Stack>
);

const ToAccounts = () => (
  <Anchor component={Link} to="/account/chat-accounts" underline="always">
    {text.toAccounts}
  </Anchor>
);
