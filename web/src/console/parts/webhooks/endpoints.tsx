import { Button, Group, Modal, Table, Text, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { WebhookJson } from "../../../../../contract/routes/events/webhooks.ts";
import { call } from "../../data/api.ts";
import { notifications } from "../../frame/notifications.tsx";
import { Failed } from "../../frame/panel.tsx";
import { webhooksText } from "../../messages/webhooks.ts";
import { Confirm } from "../confirm.tsx";
import { ListTable } from "../list-table.tsx";
import { EndpointForm } from "./endpoint-form.tsx";
import type { WebhookSource } from "./source.ts";
import { useRefresh, useTest } from "./use-webhooks.ts";
import { WebhookState } from "./webhook-state.tsx";

interface EndpointsProps {
  workspace: string;
  source: WebhookSource;
  endpoints: readonly WebhookJson[];
}

/** Lists, adds, changes and removes the further endpoints of a workspace. */
export function Endpoints({ workspace, source, endpoints }: EndpointsProps) {
  const [edited, setEdited] = useState<WebhookJson | "new">();
  const [removed, setRemoved] = useState<WebhookJson>();
  const refresh = useRefresh(source);
  const test = useTest(source);
  const remove = useMutation({
    mutationFn: ({ id, version }: WebhookJson) => call.webhooks.delete({ workspace, id, headers: { "if-match": `"${version}"` } }),
    onSuccess: async () => {
      notifications.show({ message: webhooksText.removed });
      setRemoved(undefined);
      await refresh();
    },
  });
  return (
    <section aria-label={webhooksText.more}>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          {webhooksText.more}
        </Title>
        <Button size="xs" variant="default" onClick={() => setEdited("new")}>
          {webhooksText.add}
        </Button>
      </Group>
      {test.error && <Failed error={test.error} />}
      {endpoints.length === 0 ? (
        <Text c="dimmed">{webhooksText.none}</Text>
      ) : (
        <EndpointTable endpoints={endpoints} onTest={(id) => test.mutate(id)} onEdit={setEdited} onRemove={setRemoved} />
      )}
      <Modal
        opened={edited !== undefined}
        onClose={() => setEdited(undefined)}
        title={edited && edited !== "new" ? webhooksText.editTitle(edited.id) : webhooksText.add}
        size="lg"
      >
        <EndpointForm
          workspace={workspace}
          source={source}
          endpoint={edited === "new" ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      </Modal>
      <Confirm
        isOpen={removed !== undefined}
        title={webhooksText.removeTitle(removed?.id ?? "")}
        action={webhooksText.remove}
        isBusy={remove.isPending}
        error={remove.error}
        onConfirm={() => removed && remove.mutate(removed)}
        onClose={() => {
          setRemoved(undefined);
          remove.reset();
        }}
      >
        <Text>{webhooksText.removeWhy}</Text>
      </Confirm>
    </section>
  );
}

interface EndpointTableProps {
  endpoints: readonly WebhookJson[];
  onTest: (id: string) => void;
  onEdit: (endpoint: WebhookJson) => void;
  onRemove: (endpoint: WebhookJson) => void;
}

function EndpointTable({ endpoints, onTest, onEdit, onRemove }: EndpointTableProps) {
  return (
    <ListTable caption={webhooksText.caption} columns={Object.values(webhooksText.columns)} verticalSpacing="xs">
      {endpoints.map((endpoint) => (
        <Table.Tr key={endpoint.id}>
          <Table.Td>
            {endpoint.id}
            {endpoint.description && (
              <Text size="sm" c="dimmed">
                {endpoint.description}
              </Text>
            )}
          </Table.Td>
          <Table.Td>
            <div className="path wide-cell">{endpoint.url}</div>
          </Table.Td>
          <Table.Td>
            {endpoint.events ? (
              <span title={endpoint.events.join(", ")}>{webhooksText.someTypes(endpoint.events.length)}</span>
            ) : (
              webhooksText.allTypes
            )}
            {endpoint.paths && <div className="path">{webhooksText.onlyPaths(endpoint.paths.join(", "))}</div>}
          </Table.Td>
          <Table.Td>
            <WebhookState webhook={endpoint} />
          </Table.Td>
          <Table.Td>
            <Group gap={4} wrap="nowrap">
              <Button size="xs" variant="default" onClick={() => onTest(endpoint.id)}>
                {webhooksText.rowTest}
              </Button>
              <Button size="xs" variant="default" onClick={() => onEdit(endpoint)}>
                {webhooksText.edit}
              </Button>
              <Button size="xs" variant="default" onClick={() => onRemove(endpoint)}>
                {webhooksText.remove}
              </Button>
            </Group>
          </Table.Td>
        </Table.Tr>
      ))}
    </ListTable>
  );
}
