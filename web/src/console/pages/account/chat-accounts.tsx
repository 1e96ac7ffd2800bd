import { Button, Table, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ChatAccountJson } from "../../../../../contract/routes/people/chat-accounts.ts";
import { Ago } from "../../../shared/time/ago.tsx";
import { call } from "../../data/objects-api.ts";
import { notifications } from "../../frame/notifications.tsx";
import { Empty, Panel } from "../../frame/panel.tsx";
import { chatLinkText, chatAccountsText as text } from "../../messages/objects/chat-accounts.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { ListTable } from "../../parts/list-table.tsx";

const accountsKey = ["chat accounts"] as const;

/** Lists the accounts in chats whose clicks count as those of the signed-in user, and disconnects them. */
export default function ChatAccounts() {
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<ChatAccountJson>();
  const accounts = useQuery({ queryKey: accountsKey, queryFn: ({ signal }) => call.chatAccounts.list({ signal }) });
  const disconnect = useMutation({
    mutationFn: (id: string) => call.chatAccounts.disconnect({ id }),
    onSuccess: async () => {
      notifications.show({ message: text.disconnected });
      setChosen(undefined);
      await queries.invalidateQueries({ queryKey: accountsKey });
    },
  });
  return (
    <>
      <Text mb="sm">{text.why}</Text>
      <Panel
        query={accounts}
        guide="console#chat-accounts"
        isEmpty={({ length }) => length === 0}
        empty={
          <Empty title={text.empty} guide="console#chat-accounts">
            <Text>{text.emptyWhy}</Text>
          </Empty>
        }
      >
        {(found) => <AccountTable accounts={found} onDisconnect={setChosen} />}
      </Panel>
      <Confirm
        isOpen={chosen !== undefined}
        title={text.disconnectTitle}
        action={text.disconnect}
        isBusy={disconnect.isPending}
        error={disconnect.error}
        onConfirm={() => chosen && disconnect.mutate(chosen.id)}
        onClose={() => {
          setChosen(undefined);
          disconnect.reset();
        }}
      >
        {chosen && <Text>{text.disconnectWhy(chosen.name, chosen.vendor)}</Text>}
      </Confirm>
    </>
  );
}

interface AccountTableProps {
  accounts: readonly ChatAccountJson[];
  onDisconnect: (account: ChatAccountJson) => void;
}

const AccountTable = ({ accounts, onDisconnect }: AccountTableProps) => (
  <ListTable caption={text.caption} columns={Object.values(text.columns)} verticalSpacing="xs">
    {accounts.map((account) => (
      <Table.Tr key={account.id}>
        <Table.Td>{account.name}</Table.Td>
        <Table.Td>{text.vendors[account.vendor]}</Table.Td>
        <Table.Td>
          <code className="one-line">{`${account.team} / ${account.user}`}</code>
        </Table.Td>
        <Table.Td>{chatLinkText.resourceIn(account.resource, account.workspace)}</Table.Td>
        <Table.Td>
          <Ago at={account.connected_at} focusable />
        </Table.Td>
        <Table.Td>
          <Button size="compact-xs" variant="default" onClick={() => onDisconnect(account)}>
            {text.disconnect}
          </Button>
        </Table.Td>
      </Table.Tr>
    ))}
  </ListTable>
);
