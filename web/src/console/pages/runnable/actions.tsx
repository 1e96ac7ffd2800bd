import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { isOffered } from "../../access/actions.ts";
import { call } from "../../data/api.ts";
import { useMember } from "../../data/me.ts";
import { loadOnDemand } from "../../frame/load-on-demand.tsx";
import { notifications } from "../../frame/notifications.tsx";
import { Failed } from "../../frame/panel.tsx";
import { runnableText } from "../../messages/runnable.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { archive, restore } from "./archive.ts";
import { type Runnable, runnableKey } from "./use-runnable.ts";

const MoveDialog = loadOnDemand(() => import("./move-dialog.tsx"), null);

/** Stars a script or a flow, moves it, archives it after a confirmation, or restores it. */
export function Actions({ workspace, runnable }: { workspace: string; runnable: Runnable }) {
  const { kind, path, isArchived, isStarred } = runnable;
  const queries = useQueryClient();
  const member = useMember();
  const [asks, setAsks] = useState(false);
  const [isMoving, setIsMoving] = useState(false);
  const change = useMutation({
    mutationFn: () => (isArchived ? restore : archive)(workspace, runnable),
    onSuccess: async () => {
      notifications.show({ message: isArchived ? runnableText.restoredNow(path) : runnableText.archivedNow(path) });
      setAsks(false);
      await Promise.all([
        queries.invalidateQueries({ queryKey: runnableKey(workspace, kind, path) }),
        queries.invalidateQueries({ queryKey: [workspace, "items"] }),
      ]);
    },
  });
  const star = useMutation({
    mutationFn: () => (isStarred ? call.favorites.unstar : call.favorites.star)({ workspace, body: { path, favorite_kind: kind } }),
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: runnableKey(workspace, kind, path) }),
        queries.invalidateQueries({ queryKey: [workspace, "favorites"] }),
      ]),
  });
  const error = star.error ?? (asks ? null : change.error);
  const mayArchive = isOffered("flows.archive", member);
  return (
    <Stack gap="xs">
      <Group gap="xs" justify="flex-end">
        <Button
          size="xs"
          variant="default"
          aria-pressed={isStarred}
          loading={star.isPending}
          leftSection={<span aria-hidden>{isStarred ? "★" : "☆"}</span>}
          onClick={() => star.mutate()}
        >
          {runnableText.star}
        </Button>
        {!isArchived && isOffered("flows.update", member) && (
          <Button
            size="xs"
            variant="default"
            renderRoot={(props) => (
              <Link
                to={kind === "flow" ? "/w/$ws/flows/$" : "/w/$ws/scripts/$"}
                params={{ ws: workspace, _splat: `${path}/edit` }}
                {...props}
              />
            )}
          >
            {runnableText.edit}
          </Button>
        )}
        {!isArchived && isOffered("flows.update", member) && (
          <Button size="xs" variant="default" onClick={() => setIsMoving(true)}>
            {runnableText.move}
          </Button>
        )}
        {!mayArchive ? null : isArchived ? (
          <Button size="xs" variant="default" loading={change.isPending} onClick={() => change.mutate()}>
            {runnableText.restore}
          </Button>
        ) : (
          <Button size="xs" variant="default" onClick={() => setAsks(true)}>
            {runnableText.archive}
          </Button>
        )}
      </Group>
      {error && <Failed error={error} />}
      {isMoving && <MoveDialog workspace={workspace} runnable={runnable} onClose={() => setIsMoving(false)} />}
      <Confirm
        isOpen={asks}
        title={runnableText.archive}
        action={runnableText.archive}
        isBusy={change.isPending}
        error={change.error}
        onConfirm={() => change.mutate()}
        onClose={() => setAsks(false)}
      >
        <Text>{runnableText.archiveWhy}</Text>
      </Confirm>
    </Stack>
  );
}
