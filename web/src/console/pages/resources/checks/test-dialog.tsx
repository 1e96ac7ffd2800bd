import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useEffect } from "react";
import { call } from "../../../data/api.ts";
import { useMember } from "../../../data/me.ts";
import { Failed, Loading } from "../../../frame/panel.tsx";
import { resourcesText } from "../../../messages/objects/stored.ts";
import WaitedRun from "../../runnable/waited-run.tsx";
import type { Check } from "./checks.ts";

const text = resourcesText.tests;
/** Longer than the limits of the scripts themselves. */
const TIMEOUT_S = 60;

interface TestDialogProps {
  workspace: string;
  path: string;
  check: Check;
  onClose: () => void;
}

/** Tests a stored resource with a run of the check of its type, and shows the meaning of a success. */
export function TestDialog({ workspace, path, check, onClose }: TestDialogProps) {
  const { username } = useMember();
  const {
    mutate,
    data: job,
    error,
    isPending,
  } = useMutation({
    mutationFn: () =>
      call.jobs.run.preview({
        workspace,
        query: { timeout: TIMEOUT_S },
        // The run reads the resource with the rights of the person. Its arguments contain the path alone.
        body: { path: `u/${username}/test_of_resource`, language: "bun", content: check.content, args: { resource: `$res:${path}` } },
      }),
  });
  useEffect(() => mutate(), [mutate]);
  return (
    <Modal opened onClose={onClose} title={text.title(path)} size="lg" closeButtonProps={{ "aria-label": text.close }}>
      <Stack gap="sm">
        <Text size="sm">{check.meaning}</Text>
        <Text size="sm" c="dimmed">
          {text.why}
        </Text>
        {error && <Failed error={error} />}
        {isPending && <Loading />}
        {job !== undefined && <WaitedRun key={job} workspace={workspace} id={job} />}
        <Group gap="xs">
          <Button size="xs" variant="default" loading={isPending} onClick={() => mutate()}>
            {text.again}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
