import "../../parts/stored/stored.css";
import { Table } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { isOffered } from "../../access/actions.ts";
import { useMember, useWorkspace } from "../../data/me.ts";
import { call } from "../../data/objects-api.ts";
import { notifications } from "../../frame/notifications.tsx";
import { peopleText, groupsText as text } from "../../messages/objects/people.ts";
import { storedText } from "../../messages/objects/stored.ts";
import { Members } from "../../parts/people/members.tsx";
import { NameAndSummary, type NamedValues, unnamed } from "../../parts/people/name-and-summary.tsx";
import { DeleteDialog } from "../../parts/stored/delete-dialog.tsx";
import { EditorDialog } from "../../parts/stored/editor-dialog.tsx";
import { RowActions } from "../../parts/stored/row-actions.tsx";
import { StoredPage } from "../../parts/stored/stored-page.tsx";
import type { Loaded } from "../../parts/stored/use-editor.ts";
import { usePages } from "../../parts/stored/use-pages.ts";
import { useStoredSearch } from "../../parts/stored/use-stored-search.ts";

/** Lists the groups of a workspace, and changes their members. */
export default function GroupsPage() {
  const workspace = useWorkspace();
  const member = useMember();
  const queries = useQueryClient();
  const search = useStoredSearch();
  const [deleted, setDeleted] = useState<string>();
  const listKey = [workspace, "groups"];
  const groups = usePages(listKey, ({ query, signal }) => call.groups.list({ workspace, query, signal }));
  const refresh = () => queries.invalidateQueries({ queryKey: listKey });
  const needle = search.sought.toLowerCase();
  const listed = groups.data?.pages.flat() ?? [];
  const mayChange = isOffered("groups.update", member);
  return (
    <StoredPage
      text={text}
      guide="permissions"
      search={search}
      mayCreate={isOffered("groups.create", member)}
      query={groups}
      isShown={({ name, summary = "" }) => `${name} ${summary}`.toLowerCase().includes(needle)}
      columns={[peopleText.name, peopleText.summary, peopleText.members]}
      keyOf={({ name }) => name}
      row={({ name, summary, members = [] }) => (
        <>
          <Table.Th scope="row" className="stored-path">
            {name}
          </Table.Th>
          <Table.Td>{summary}</Table.Td>
          <Table.Td>
            <span className="stored-description">{members.join(", ")}</span>
          </Table.Td>
          <Table.Td>
            <RowActions
              path={name}
              onEdit={mayChange && name !== "all" ? () => search.openEdit(name) : undefined}
              onDelete={isOffered("groups.delete", member) && name !== "all" ? () => setDeleted(name) : undefined}
            />
          </Table.Td>
        </>
      )}
    >
      <EditorDialog search={search} mayEdit={mayChange} newTitle={text.new} blank={unnamed} load={(name) => loadGroup(workspace, name)}>
        {(loaded, name) => (
          <>
            <NameAndSummary
              name={name}
              loaded={loaded}
              reload={() => loadGroup(workspace, name ?? "")}
              save={(values) =>
                name === undefined
                  ? call.groups.create({ workspace, body: values })
                  : call.groups.update({ workspace, name, body: { summary: values.summary } })
              }
              onSaved={(saved) => {
                notifications.show({ message: storedText.saved(saved) });
                // The members of a new group are chosen next.
                if (name === undefined) search.openEdit(saved);
                else search.closeEditor();
                void refresh();
              }}
              onClose={search.closeEditor}
            />
            {name !== undefined && (
              <Members
                workspace={workspace}
                members={(listed.find((group) => group.name === name)?.members ?? []).map((username) => ({ name: username }))}
                add={(username) => call.groups.addUser({ workspace, name, body: { username } })}
                remove={({ name: username }) => call.groups.removeUser({ workspace, name, body: { username } })}
                onChanged={refresh}
              />
            )}
          </>
        )}
      </EditorDialog>
      <DeleteDialog
        path={deleted}
        why={text.deleteWhy}
        remove={(name) => call.groups.delete({ workspace, name })}
        onDeleted={() => void refresh()}
        onClose={() => setDeleted(undefined)}
      />
    </StoredPage>
  );
}

async function loadGroup(workspace: string, name: string): Promise<Loaded<NamedValues>> {
  const { summary = "" } = await call.groups.get({ workspace, name });
  return { values: { name, summary } };
}
