import { Anchor, Button, Group, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ChatResourceJson } from "../../../../../contract/routes/stored/resources.ts";
import { call } from "../../data/objects-api.ts";
import { Empty, Panel } from "../../frame/panel.tsx";
import { chatSettingsText as text } from "../../messages/objects/chat-settings.ts";
import { copyText } from "../../parts/copy.ts";
import { ListTable } from "../../parts/list-table.tsx";

/** Lists the resources of chat applications, whether they can be used, and the addresses that their applications need. */
export function Chats({ workspace }: { workspace: string }) {
  const resources = useQuery({
    queryKey: [workspace, "chat resources"],
    queryFn: ({ signal }) => call.resources.listChats({ workspace, signal }),
  });
  const create = (
    <Link to="/w/$ws/resources" params={{ ws: workspace }} search={{ new: "true" }}>
      {text.create}
    </Link>
  );
  return (
    <Stack gap="md">
      <Text>{text.why}</Text>
      <Panel
        query={resources}
        guide="chat"
        isEmpty={({ length }) => length === 0}
        empty={
          <Empty title={text.empty} guide="chat">
            <Text>{text.emptyWhy}</Text>
            {create}
          </Empty>
        }
      >
        {(found) => (
          <>
            <ListTable caption={text.caption} columns={Object.values(text.columns)} verticalSpacing="xs">
              {found.map((resource) => (
                <ChatRow key={resource.path} workspace={workspace} resource={resource} />
              ))}
            </ListTable>
            <div>{create}</div>
          </>
        )}
      </Panel>
    </Stack>
  );
}

interface ChatRowProps {
  workspace: string;
  resource: ChatResourceJson;
}

function ChatRow({ workspace, resource }: ChatRowProps) {
  const { path, resource_type: type, fault, address_trust: trust, callback_url: callback, manifest_url: manifest } = resource;
  return (
    <Table.Tr>
      <Table.Th scope="row" className="stored-path">
        <Link to="/w/$ws/resources" params={{ ws: workspace }} search={{ edit: path }}>
          {path}
        </Link>
      </Table.Th>
      <Table.Td>{text.types[type]}</Table.Td>
      <Table.Td>
        <span className="state" data-state={fault === undefined ? "succeeded" : "failed"}>
          {fault === undefined ? text.ready : text.faulty}
        </span>
        {fault !== undefined && <div>{fault}</div>}
      </Table.Td>
      <Table.Td>{text.trust[trust]}</Table.Td>
      <Table.Td>
        <Stack gap={4} align="flex-start">
          <code className="stored-description">{callback}</code>
          <Group gap="xs">
            <Button size="compact-xs" variant="default" aria-label={text.copyOf(path)} onClick={() => void copyText(callback)}>
              {text.copy}
            </Button>
            {manifest !== undefined && (
              <Anchor href={manifest} target="_blank" rel="noopener" underline="always" size="sm" aria-label={text.manifestOf(path)}>
                {text.manifest}
              </Anchor>
            )}
          </Group>
        </Stack>
      </Table.Td>
    </Table.Tr>
  );
}
