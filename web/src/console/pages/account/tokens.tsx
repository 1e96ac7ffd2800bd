import { Button, Group, Switch, Table, Text } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { TruncatedTokenJson } from "../../../../../contract/routes/people/tokens.ts";
import { Ago } from "../../../shared/time/ago.tsx";
import { When } from "../../../shared/time/when.tsx";
import type { Search } from "../../data/address.ts";
import { call } from "../../data/api.ts";
import { notifications } from "../../frame/notifications.tsx";
import { Empty, Panel } from "../../frame/panel.tsx";
import { tokensText } from "../../messages/account.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { NewToken } from "./new-token.tsx";
import { markOf, targetOf } from "./token.ts";

const PER_PAGE = 100;
const tokensKey = ["tokens"] as const;

/** Lists the tokens of the signed-in user, creates them and revokes them. */
export function Tokens() {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const showsSessions = search["sessions"] === "true";
  const isCreating = search["new"] === "true";
  const setIsCreating = (isOpen: boolean) =>
    void navigate({ to: ".", search: { ...search, new: isOpen ? "true" : undefined }, replace: true });
  const [revoked, setRevoked] = useState<TruncatedTokenJson>();
  const tokens = useInfiniteQuery({
    queryKey: [...tokensKey, showsSessions],
    queryFn: ({ pageParam, signal }) =>
      call.tokens.list({ query: { page: pageParam, per_page: PER_PAGE, exclude_ephemeral: !showsSessions }, signal }),
    initialPageParam: 1,
    getNextPageParam: (last, all) => (last.length === PER_PAGE ? all.length + 1 : undefined),
  });
  const refresh = () => queries.invalidateQueries({ queryKey: tokensKey });
  const revoke = useMutation({
    mutationFn: (token_prefix: string) => call.tokens.delete({ token_prefix }),
    onSuccess: async () => {
      notifications.show({ message: tokensText.revoked });
      setRevoked(undefined);
      await refresh();
    },
  });
  return (
    <>
      <Text mb="sm">{tokensText.why}</Text>
      <Group mb="sm">
        <Button size="xs" color="blue.8" onClick={() => setIsCreating(true)}>
          {tokensText.newToken}
        </Button>
        <Switch
          label={tokensText.sessions}
          checked={showsSessions}
          onChange={({ target }) =>
            void navigate({ to: ".", search: { ...search, sessions: target.checked ? "true" : undefined }, replace: true })
          }
        />
      </Group>
      <Panel
        query={tokens}
        guide="permissions#tokens"
        isEmpty={({ pages }) => pages.flat().length === 0}
        empty={
          <Empty title={tokensText.empty} guide="permissions#tokens">
            <Text>{tokensText.emptyWhy}</Text>
          </Empty>
        }
      >
        {({ pages }) => <TokenTable tokens={pages.flat()} onRevoke={setRevoked} />}
      </Panel>
      {tokens.hasNextPage && (
        <Button mt="sm" size="xs" variant="default" loading={tokens.isFetchingNextPage} onClick={() => void tokens.fetchNextPage()}>
          {tokensText.more}
        </Button>
      )}
      <NewToken isOpen={isCreating} onCreated={() => void refresh()} onClose={() => setIsCreating(false)} />
      <Confirm
        isOpen={revoked !== undefined}
        title={tokensText.revokeTitle}
        action={tokensText.revoke}
        isBusy={revoke.isPending}
        error={revoke.error}
        onConfirm={() => revoked && revoke.mutate(revoked.token_prefix)}
        onClose={() => {
          setRevoked(undefined);
          revoke.reset();
        }}
      >
        {revoked && <Text>{tokensText.revokeWhy(revoked.label ?? tokensText.unnamed, revoked.token_prefix)}</Text>}
      </Confirm>
    </>
  );
}

interface TokenTableProps {
  tokens: readonly TruncatedTokenJson[];
  onRevoke: (token: TruncatedTokenJson) => void;
}

function TokenTable({ tokens, onRevoke }: TokenTableProps) {
  return (
    <ListTable caption={tokensText.caption} columns={Object.values(tokensText.columns)} verticalSpacing="xs">
      {tokens.map((token) => (
        <Table.Tr key={`${token.token_prefix} ${token.created_at}`}>
          <Table.Td>{token.label ?? <Text c="dimmed">{tokensText.unnamed}</Text>}</Table.Td>
          <Table.Td>
            <code className="one-line">{token.token_prefix}…</code>
          </Table.Td>
          <Table.Td>
            <Limits token={token} />
          </Table.Td>
          <Table.Td>
            <Ago at={token.last_used_at} />
          </Table.Td>
          <Table.Td>
            <Expiry token={token} />
          </Table.Td>
          <Table.Td>
            <Button size="xs" variant="default" onClick={() => onRevoke(token)}>
              {tokensText.revoke}
            </Button>
          </Table.Td>
        </Table.Tr>
      ))}
    </ListTable>
  );
}

/** Lists what a token may do, and where. */
function Limits({ token: { scopes, read_only, workspace_id } }: { token: TruncatedTokenJson }) {
  const target = targetOf(scopes);
  const lines = [
    ...(target ? [] : (scopes ?? [tokensText.allRights])),
    ...(read_only ? [tokensText.readOnly] : []),
    ...(workspace_id === undefined ? [] : [tokensText.onlyIn(workspace_id)]),
  ];
  return (
    <ul className="plain-list path wide-cell">
      {target && (
        <li>
          <Target target={target} workspace={workspace_id} />
        </li>
      )}
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

interface TargetProps {
  target: NonNullable<ReturnType<typeof targetOf>>;
  workspace: string | undefined;
}

/** Names the script or flow that a token runs. It has a page if the token names its workspace. */
function Target({ target: { kind, path }, workspace }: TargetProps) {
  const text = tokensText.webhookOf(path);
  if (workspace === undefined) return text;
  const params = { ws: workspace, _splat: path };
  return kind === "flows" ? (
    <Link to="/w/$ws/flows/$" params={params}>
      {text}
    </Link>
  ) : (
    <Link to="/w/$ws/scripts/$" params={params}>
      {text}
    </Link>
  );
}

function Expiry({ token }: { token: TruncatedTokenJson }) {
  const mark = markOf(token, Date.now());
  return (
    <>
      {token.expiration === undefined ? tokensText.never : <When at={token.expiration} />}{" "}
      {mark && (
        <span className="mark" data-tone={mark.tone}>
          {mark.text}
        </span>
      )}
    </>
  );
}
