import { Button, Group, Modal, NativeSelect, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { toRequest } from "../../../../../contract/client/request.ts";
import { basePath } from "../../../shared/base-path.ts";
import { call, operations } from "../../data/api.ts";
import { Failed } from "../../frame/panel.tsx";
import { filesText as text } from "../../messages/objects/files.ts";
import { ShownOnce } from "../../parts/shown-once.tsx";

const periods = Object.entries(text.periods).map(([value, label]) => ({ value, label }));

interface LinkDialogProps {
  workspace: string;
  storage: string | undefined;
  fileKey: string;
  onClose: () => void;
}

/** Creates a link that serves a file without a token. */
export function LinkDialog({ workspace, storage, fileKey, onClose }: LinkDialogProps) {
  const [period, setPeriod] = useState("86400");
  const create = useMutation({
    mutationFn: async () => {
      const [signed] = await call.files.sign({ workspace, body: { s3_objects: [{ s3: fileKey, storage }], expiry_secs: Number(period) } });
      const { address } = toRequest(operations, "files.public", { workspace, storage: storage ?? "_default_", key: fileKey });
      return `${location.origin}${basePath}${address}?${signed?.presigned ?? ""}`;
    },
  });
  return (
    <Modal opened onClose={onClose} title={text.linkTitle(fileKey)} size="lg">
      <Stack>
        <Text>{text.linkWhy}</Text>
        <Group align="flex-end">
          <NativeSelect label={text.expires} data={periods} value={period} onChange={({ target }) => setPeriod(target.value)} />
          <Button color="blue.8" loading={create.isPending} onClick={() => create.mutate()}>
            {text.createLink}
          </Button>
        </Group>
        {create.error && <Failed error={create.error} />}
        {create.data && <ShownOnce label={text.link} value={create.data} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {text.close}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
