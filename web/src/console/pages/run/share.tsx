import { Button, Checkbox, Group, Modal, NativeSelect, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Ago } from "../../../shared/time/ago.tsx";
import { call } from "../../data/api.ts";
import { Failed, Panel } from "../../frame/panel.tsx";
import { shareText } from "../../messages/share.ts";
import { ShownOnce } from "../../parts/shown-once.tsx";

const periods = Object.entries(shareText.periods).map(([value, label]) => ({ value, label }));

/** Creates and revokes links that show a run without a sign-in. */
export function ShareDialog({ workspace, id, isOpen, onClose }: { workspace: string; id: string; isOpen: boolean; onClose: () => void }) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={shareText.share} size="lg">
      <Stack>
        <Text>{shareText.why}</Text>
        <NewLink workspace={workspace} id={id} />
        <Links workspace={workspace} id={id} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {shareText.close}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

const linksKey = (workspace: string, id: string) => [workspace, "shares", id];

function NewLink({ workspace, id }: { workspace: string; id: string }) {
  const queries = useQueryClient();
  const [withArgs, setWithArgs] = useState(false);
  const [period, setPeriod] = useState("86400");
  const create = useMutation({
    mutationFn: () => call.jobs.share({ workspace, id, body: { expires_in_s: Number(period), with_args: withArgs } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: linksKey(workspace, id) }),
  });
  return (
    <>
      <Group align="flex-end">
        <NativeSelect label={shareText.expires} data={periods} value={period} onChange={({ target }) => setPeriod(target.value)} />
        <Checkbox label={shareText.withArgs} checked={withArgs} onChange={({ target }) => setWithArgs(target.checked)} />
        <Button loading={create.isPending} onClick={() => create.mutate()}>
          {shareText.create}
        </Button>
      </Group>
      {create.error && <Failed error={create.error} />}
      {create.data && <ShownOnce label={shareText.link} description={shareText.once} value={create.data.url} />}
    </>
  );
}

function Links({ workspace, id }: { workspace: string; id: string }) {
  const queries = useQueryClient();
  const links = useQuery({ queryKey: linksKey(workspace, id), queryFn: () => call.jobs.listShares({ workspace, id }) });
  const revoke = useMutation({
    mutationFn: (share: string) => call.jobs.revokeShare({ workspace, id, share }),
    onSettled: () => queries.invalidateQueries({ queryKey: linksKey(workspace, id) }),
  });
  return (
    <section aria-label={shareText.links}>
      {revoke.error && <Failed error={revoke.error} />}
      <Panel query={links} isEmpty={(found) => found.length === 0} empty={<Text c="dimmed">{shareText.none}</Text>}>
        {(found) => (
          <ul className="plain-list">
            {found.map((link) => (
              <li key={link.id} className="line">
                <span>
                  {shareText.described(link.created_by, link.with_args)}. {shareText.until} <Ago at={link.expires_at} focusable />.
                </span>
                <Button size="xs" variant="default" loading={revoke.isPending} onClick={() => revoke.mutate(link.id)}>
                  {shareText.revoke}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Panel>
    </section>
  );
}
