import { Button, Group, Paper, Stack, Text, TextInput, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Refused } from "../../../shared/service.ts";
import { workspacesQuery } from "../../data/me.ts";
import { call } from "../../data/objects-api.ts";
import { Failed } from "../../frame/panel.tsx";
import { invitationsText as text } from "../../messages/objects/people.ts";

const invitesKey = ["invitations"];

/** Shows the invitations of the signed-in person, and accepts or declines them. Nothing appears without an invitation. */
export default function Invitations() {
  const invites = useQuery({ queryKey: invitesKey, queryFn: ({ signal }) => call.users.listInvites({ signal }) });
  if (invites.error) return <Failed error={invites.error} guide="permissions#workspaces" onRetry={() => void invites.refetch()} />;
  if (!invites.data || invites.data.length === 0) return null;
  return (
    <Stack component="section" aria-label={text.title} gap="xs" my="md">
      <Title order={2} size="h5">
        {text.title}
      </Title>
      {invites.data.map(({ workspace_id: workspace }) => (
        <Invitation key={workspace} workspace={workspace} />
      ))}
    </Stack>
  );
}

function Invitation({ workspace }: { workspace: string }) {
  const [username, setUsername] = useState("");
  const queries = useQueryClient();
  const navigate = useNavigate();
  const accept = useMutation({
    mutationFn: () =>
      call.users.acceptInvite({ body: { workspace_id: workspace, ...(username.trim() ? { username: username.trim() } : {}) } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: workspacesQuery.queryKey });
      queries.removeQueries({ queryKey: invitesKey });
      await navigate({ to: "/w/$ws", params: { ws: workspace } });
    },
  });
  const decline = useMutation({
    mutationFn: () => call.users.declineInvite({ body: { workspace_id: workspace } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: invitesKey }),
  });
  const error = accept.error ?? decline.error;
  const isTaken = accept.error instanceof Refused && accept.error.code === "user.usernameTaken";
  return (
    <Paper withBorder p="sm">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          accept.mutate();
        }}
      >
        <Stack gap="xs">
          <Text>{text.invited(workspace)}</Text>
          {error && <Failed error={error} />}
          {(isTaken || username !== "") && (
            <TextInput label={text.username} autoComplete="off" value={username} onChange={({ target }) => setUsername(target.value)} />
          )}
          <Group gap="xs">
            <Button size="xs" type="submit" color="blue.8" aria-label={text.acceptOf(workspace)} loading={accept.isPending}>
              {text.accept}
            </Button>
            <Button
              size="xs"
              variant="default"
              aria-label={text.declineOf(workspace)}
              loading={decline.isPending}
              onClick={() => decline.mutate()}
            >
              {text.decline}
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}
