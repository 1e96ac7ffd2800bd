import "../../parts/stored/stored.css";
import { Button, Group, NativeSelect, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { When } from "../../../shared/time/when.tsx";
import { isOffered } from "../../access/actions.ts";
import type { Search } from "../../data/address.ts";
import { useMember, useWorkspace } from "../../data/me.ts";
import { Page } from "../../frame/page.tsx";
import { Empty, Panel } from "../../frame/panel.tsx";
import { changesText as text } from "../../messages/objects/changes.ts";
import { copyText } from "../../parts/copy.ts";
import { ListTable } from "../../parts/list-table.tsx";
import { fromLocalTime, toLocalTime } from "../../parts/local-time.ts";
import { Example } from "../../parts/stored/example.tsx";
import { TextFilter } from "../../parts/text-filter.tsx";
import { changedSince, describeChange, gitCommands } from "./changes.ts";
import { addressOf, type ChangedItem, type ChangedKind, hasVersions, loadChangeable, loadVersions } from "./load-changed.ts";

const kinds = [{ value: "", label: text.anyKind }, ...Object.entries(text.kinds).map(([value, label]) => ({ value, label }))];

const WEEK_MS = 7 * 24 * 3600 * 1000;
const PER_PART = 25;

/** Lists what was saved in a workspace since a time, with the differences and the commands that bring it into git. */
export default function ChangesPage() {
  const workspace = useWorkspace();
  const member = useMember();
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const [opened] = useState(() => toLocalTime(Date.now() - WEEK_MS));
  const [shown, setShown] = useState(PER_PART);
  const since = search["since"] || opened;
  const sinceMs = Date.parse(fromLocalTime(since) ?? "");
  const kind = Object.hasOwn(text.kinds, search["kind"] ?? "") ? (search["kind"] as ChangedKind) : undefined;
  const items = useQuery({
    queryKey: [workspace, "changeable"],
    queryFn: ({ signal }) => loadChangeable(workspace, signal),
  });
  const changedOf = (all: readonly ChangedItem[]) =>
    changedSince(kind === undefined ? all : all.filter((item) => item.kind === kind), sinceMs);
  return (
    <Page title={text.title}>
      <Text mb="sm">{text.why}</Text>
      <Group align="flex-end" mb="sm">
        <TextFilter
          label={text.since}
          type="datetime-local"
          value={since}
          onTyped={(typed) => void navigate({ to: ".", search: { ...search, since: typed }, replace: true })}
        />
        <NativeSelect
          size="xs"
          label={text.kind}
          data={kinds}
          value={kind ?? ""}
          onChange={({ target }) => void navigate({ to: ".", search: { ...search, kind: target.value || undefined }, replace: true })}
        />
      </Group>
      <Panel
        query={items}
        guide="sync"
        isEmpty={(all) => changedOf(all).length === 0}
        empty={
          <Empty title={text.none} guide="sync">
            <Text>{text.noneWhy}</Text>
          </Empty>
        }
      >
        {(all) => {
          const changed = changedOf(all);
          return (
            <>
              <ListTable
                caption={text.caption}
                columns={[text.item, text.changed, text.by, text.message, text.difference]}
                verticalSpacing="xs"
              >
                {changed.slice(0, shown).map((item) => (
                  <Row key={`${item.kind} ${item.path}`} workspace={workspace} item={item} sinceMs={sinceMs} />
                ))}
              </ListTable>
              {changed.length > shown && (
                <Button mt="sm" size="xs" variant="default" onClick={() => setShown(shown + PER_PART)}>
                  {text.more}
                </Button>
              )}
            </>
          );
        }}
      </Panel>
      <Stack gap="xs" mt="lg">
        <Title order={2} size="h5">
          {text.git}
        </Title>
        <Text>{text.gitWhy}</Text>
        <Example label={text.git} text={gitCommands} />
        <Group>
          <Button size="xs" variant="default" onClick={() => void copyText(gitCommands)}>
            {text.copy}
          </Button>
        </Group>
        <Text>{text.others}</Text>
        {isOffered("audit.list", member) && (
          <Link to="/w/$ws/audit" params={{ ws: workspace }} search={{ from: since }}>
            {text.audit}
          </Link>
        )}
      </Stack>
    </Page>
  );
}

function Row({ workspace, item, sinceMs }: { workspace: string; item: ChangedItem; sinceMs: number }) {
  const { kind, path, summary, editedAt, editedBy } = item;
  const versions = useQuery({
    queryKey: [workspace, "changes of", kind, path, editedAt],
    queryFn: ({ signal }) => loadVersions(workspace, item, signal),
    enabled: hasVersions(kind),
  });
  const change = versions.data && describeChange(versions.data, sinceMs);
  const authors = change ? change.authors.join(", ") : (editedBy ?? "");
  return (
    <Table.Tr>
      <Table.Th scope="row" className="stored-path">
        <Link {...addressOf(workspace, item)}>{path}</Link>
        <Text size="sm" c="dimmed">
          {text.kinds[kind]}
          {summary && ` · ${summary}`}
        </Text>
      </Table.Th>
      <Table.Td>
        <When at={editedAt} />
      </Table.Td>
      <Table.Td>{versions.error ? versions.error.message : authors}</Table.Td>
      <Table.Td>{change?.newest?.message}</Table.Td>
      <Table.Td>
        {change?.before && change.newest ? (
          <Link
            to={kind === "flow" ? "/w/$ws/flows/$" : "/w/$ws/scripts/$"}
            params={{ ws: workspace, _splat: `${path}/history` }}
            search={{ newer: change.newest.id, older: change.before.id }}
            aria-label={text.showOf(path)}
          >
            {text.show}
          </Link>
        ) : (
          change && text.isNew
        )}
      </Table.Td>
    </Table.Tr>
  );
}
