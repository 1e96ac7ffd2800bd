import "../../parts/stored/stored.css";
import { Table } from "@mantine/core";
import { isOffered } from "../../access/actions.ts";
import { ask, call } from "../../data/objects-api.ts";
import { peopleText, groupsText as text } from "../../messages/objects/people.ts";
import { Members } from "../../parts/people/members.tsx";
import { NameAndSummary } from "../../parts/people/name-and-summary.tsx";
import { type NamedValues, unnamed } from "../../parts/people/named.ts";
import { EditorDialog } from "../../parts/stored/editor-dialog.tsx";
import { RowActions } from "../../parts/stored/row-actions.tsx";
import { StoredPage } from "../../parts/stored/stored-page.tsx";
import type { Loaded } from "../../parts/stored/use-editor.ts";
import { useStoredList } from "../../parts/stored/use-stored-list.ts";

/** Lists the groups of a workspace, and changes their members. */
export default function GroupsPage() {
  const list = useStoredList({
    name: "groups",
    load: ({ workspace, page, signal }) => call.groups.list({ workspace, query: page, signal }),
    textsOf: ({ name, summary }) => [name, summary],
  });
  const { workspace, member, search, items } = list;
  const mayChange = isOffered("groups.update", member);
  return (
    <StoredPage
      text={text}
      guide="permissions"
      list={list}
      mayCreate={isOffered("groups.create", member)}
      columns={[peopleText.name, peopleText.summary, peopleText.members]}
      remove={(name) => call.groups.delete({ workspace, name })}
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
              onDelete={isOffered("groups.delete", member) && name !== "all" ? () => list.askToDelete(name) : undefined}
            />
          </Table.Td>
        </>
      )}
    >
      <EditorDialog search={search} mayEdit={mayChange} newTitle={text.new} blank={unnamed} load={(name) => loadGroup(workspace, name)}>
        {(loaded, name) => (
          <>
            <NameAndSummary
              kind="group"
              name={name}
              loaded={loaded}
              reload={() => loadGroup(workspace, name ?? "")}
              save={(values, headers) =>
                name === undefined
                  ? call.groups.create({ workspace, body: values })
                  : call.groups.update({ workspace, name, headers, body: { summary: values.summary } })
              }
              // The members of a new group are chosen next.
              onSaved={(saved) => list.onSaved(saved, name === undefined)}
              onClose={search.closeEditor}
            />
            {name !== undefined && (
              <Members
                workspace={workspace}
                members={(items.find((group) => group.name === name)?.members ?? []).map((username) => ({ name: username }))}
                add={(username) => call.groups.addUser({ workspace, name, body: { username } })}
                remove={({ name: username }) => call.groups.removeUser({ workspace, name, body: { username } })}
                onChanged={list.refresh}
              />
            )}
          </>
        )}
      </EditorDialog>
    </StoredPage>
  );
}

async function loadGroup(workspace: string, name: string): Promise<Loaded<NamedValues>> {
  const { value, headers } = await ask.groups.get({ workspace, name });
  return { values: { name, summary: value.summary ?? "" }, version: headers.get("etag") ?? undefined };
}
