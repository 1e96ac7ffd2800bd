import { Button, Group, NativeSelect, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { Ago } from "../../../shared/time/ago.tsx";
import { exactText } from "../../../shared/time/time.ts";
import { isOffered } from "../../access/actions.ts";
import type { Search } from "../../data/address.ts";
import { call } from "../../data/api.ts";
import { useMember } from "../../data/me.ts";
import { loadOnDemand } from "../../frame/load-on-demand.tsx";
import { Panel } from "../../frame/panel.tsx";
import { versionsText as text } from "../../messages/versions.ts";
import { ListTable } from "../../parts/list-table.tsx";
import type { Runnable } from "./use-runnable.ts";

const RestoreVersion = loadOnDemand(() => import("./restore-version.tsx"), null);
const DiffView = loadOnDemand(() => import("../../parts/code/diff-view.tsx"), <Text c="dimmed">{text.loading}</Text>);

interface Version {
  /** The name by which the service finds the version. */
  id: string;
  hash: string;
  savedBy: string;
  savedAt: string;
  message: string;
}

async function loadVersions(workspace: string, { kind, path }: Runnable, signal: AbortSignal): Promise<Version[]> {
  if (kind === "flow") {
    const found = await call.flows.history({ workspace, path, signal });
    return found.map(({ id, hash, created_at, created_by = "", deployment_msg = "" }) => ({
      id: String(id),
      hash,
      savedBy: created_by,
      savedAt: created_at,
      message: deployment_msg,
    }));
  }
  const found = await call.scripts.history({ workspace, path, signal });
  return found.map(({ script_hash, created_at = "", created_by = "", deployment_msg = "" }) => ({
    id: script_hash,
    hash: script_hash,
    savedBy: created_by,
    savedAt: created_at,
    message: deployment_msg,
  }));
}

/** The text of a version: the source of a script, or a flow as JSON. */
async function loadText(workspace: string, { kind }: Runnable, id: string, signal: AbortSignal): Promise<string> {
  if (kind === "script") return (await call.scripts.getByHash({ workspace, hash: id, signal })).content;
  const { summary, value, schema } = await call.flows.getByHash({ workspace, version: Number(id), signal });
  return JSON.stringify({ summary, schema, value }, null, 2);
}

/** Lists the versions, and compares two of them. The address names both. */
export default function VersionsTab({ workspace, runnable }: { workspace: string; runnable: Runnable }) {
  const { kind, path } = runnable;
  const versions = useQuery({
    queryKey: [workspace, "versions of", kind, path],
    queryFn: ({ signal }) => loadVersions(workspace, runnable, signal),
  });
  return <Panel query={versions}>{(found) => <Versions workspace={workspace} runnable={runnable} versions={found} />}</Panel>;
}

function Versions({ workspace, runnable, versions }: { workspace: string; runnable: Runnable; versions: readonly Version[] }) {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = (changes: Search) => void navigate({ to: ".", search: { ...search, ...changes }, replace: true });
  const mayRestore = isOffered("flows.update", useMember()) && !runnable.isArchived;
  const [restored, setRestored] = useState<Version>();
  const byId = (id: string | undefined) => versions.find((version) => version.id === id);
  const newer = byId(search["newer"]) ?? versions[0];
  const older = byId(search["older"]) ?? versions[1];
  const options = versions.map(({ id, hash, savedAt }) => ({ value: id, label: `${hash.slice(0, 8)} · ${savedAt && exactText(savedAt)}` }));
  return (
    <Stack gap="md">
      <ListTable caption={text.label} columns={Object.values(text.columns)}>
        {versions.map(({ id, hash, savedBy, savedAt, message }, index) => (
          <Table.Tr key={id}>
            <Table.Td>{hash}</Table.Td>
            <Table.Td>{savedAt && <Ago at={savedAt} />}</Table.Td>
            <Table.Td>{savedBy}</Table.Td>
            <Table.Td>{message}</Table.Td>
            <Table.Td>
              <Group gap={4} wrap="nowrap">
                {index < versions.length - 1 && (
                  <Button
                    size="compact-xs"
                    variant="default"
                    aria-label={text.compareOf(hash)}
                    onClick={() => change({ newer: id, older: versions[index + 1]?.id })}
                  >
                    {text.compare}
                  </Button>
                )}
                {mayRestore && index > 0 && (
                  <Button
                    size="compact-xs"
                    variant="default"
                    aria-label={text.restoreOf(hash)}
                    onClick={() => setRestored(versions[index])}
                  >
                    {text.restore}
                  </Button>
                )}
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </ListTable>
      {newer && older ? (
        <>
          <Group gap="sm">
            <NativeSelect label={text.older} data={options} value={older.id} onChange={({ target }) => change({ older: target.value })} />
            <NativeSelect label={text.newer} data={options} value={newer.id} onChange={({ target }) => change({ newer: target.value })} />
          </Group>
          <Comparison key={`${older.id} ${newer.id}`} workspace={workspace} runnable={runnable} older={older} newer={newer} />
        </>
      ) : (
        <Text c="dimmed">{text.one}</Text>
      )}
      {restored && (
        <RestoreVersion
          workspace={workspace}
          runnable={runnable}
          version={restored}
          newest={versions[0]?.id ?? ""}
          onClose={() => setRestored(undefined)}
        />
      )}
    </Stack>
  );
}

interface ComparisonProps {
  workspace: string;
  runnable: Runnable;
  older: Version;
  newer: Version;
}

function Comparison({ workspace, runnable, older, newer }: ComparisonProps) {
  const { kind, script } = runnable;
  const texts = useQuery({
    queryKey: [workspace, "compared versions", kind, older.id, newer.id],
    queryFn: ({ signal }) => Promise.all([older, newer].map(({ id }) => loadText(workspace, runnable, id, signal))),
    // A version never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Panel query={texts}>
      {([before = "", after = ""]) => (
        <Sides before={before} after={after} older={older} newer={newer} language={script?.language ?? "json"} />
      )}
    </Panel>
  );
}

interface SidesProps {
  before: string;
  after: string;
  older: Version;
  newer: Version;
  language: string;
}

function Sides({ before, after, older, newer, language }: SidesProps) {
  const left = useMemo(() => ({ label: text.versionAt(older.hash), text: before }), [older.hash, before]);
  const right = useMemo(() => ({ label: text.versionAt(newer.hash), text: after }), [newer.hash, after]);
  return (
    <>
      {before === after && <Text role="status">{text.same}</Text>}
      <DiffView before={left} after={right} language={language} />
    </>
  );
}
