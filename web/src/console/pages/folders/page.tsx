import "../../parts/stored/stored.css";
import { Table, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { isOffered } from "../../access/actions.ts";
import { ask, call } from "../../data/objects-api.ts";
import { peopleText, foldersText as text } from "../../messages/objects/people.ts";
import { type MemberOf, Members, type Right } from "../../parts/people/members.tsx";
import { NameAndSummary } from "../../parts/people/name-and-summary.tsx";
import { type NamedValues, unnamed } from "../../parts/people/named.ts";
import { EditorDialog } from "../../parts/stored/editor-dialog.tsx";
import { RowActions } from "../../parts/stored/row-actions.tsx";
import { StoredPage } from "../../parts/stored/stored-page.tsx";
import type { Loaded } from "../../parts/stored/use-editor.ts";
import { useStoredList } from "../../parts/stored/use-stored-list.ts";
import { membersOf } from "./members-of.ts";

const rights = ["owner", "write", "read"] as const;

/** Lists the folders of a workspace, and changes who has access to them. */
export default function FoldersPage() {
  const list = useStoredList({
    name: "folders",
    load: ({ workspace, page, signal }) => call.folders.list({ workspace, query: page, signal }),
    textsOf: ({ name, summary }) => [name, summary],
    related: ["member"],
  });
  const { workspace, member, search, items } = list;
  const mayChange = isOffered("folders.update", member);
  const owns = (name: string) => member.is_admin || member.is_super_admin || member.folders_owners.includes(name);
  return (
    <StoredPage
      text={text}
      guide="permissions"
      list={list}
      mayCreate={isOffered("folders.create", member)}
      columns={[peopleText.name, peopleText.summary, peopleText.owners, peopleText.members]}
      remove={(name) => call.folders.delete({ workspace, name })}
      keyOf={({ name }) => name}
      row={(folder) => (
        <>
          <Table.Th scope="row" className="stored-path">
            <Link to="/w/$ws/items" params={{ ws: workspace }} search={{ folder: `f/${folder.name}` }}>
              {folder.name}
            </Link>
          </Table.Th>
          <Table.Td>{folder.summary}</Table.Td>
          <Table.Td>
            <span className="stored-description">{folder.owners.join(", ")}</span>
          </Table.Td>
          <Table.Td>
            <span className="stored-description">{describeMembers(membersOf(folder))}</span>
          </Table.Td>
          <Table.Td>
            <RowActions
              path={folder.name}
              onEdit={mayChange && owns(folder.name) ? () => search.openEdit(folder.name) : undefined}
              onDelete={isOffered("folders.delete", member) && owns(folder.name) ? () => list.askToDelete(folder.name) : undefined}
            />
          </Table.Td>
        </>
      )}
    >
      <EditorDialog search={search} mayEdit={mayChange} newTitle={text.new} blank={unnamed} load={(name) => loadFolder(workspace, name)}>
        {(loaded, name) => (
          <>
            <NameAndSummary
              kind="folder"
              name={name}
              loaded={loaded}
              reload={() => loadFolder(workspace, name ?? "")}
              save={(values, headers) =>
                name === undefined
                  ? call.folders.create({ workspace, body: values })
                  : call.folders.update({ workspace, name, headers, body: { summary: values.summary } })
              }
              // The members of a new folder are chosen next.
              onSaved={(saved) => list.onSaved(saved, name === undefined)}
              onClose={search.closeEditor}
            />
            {name !== undefined && (
              <>
                <Text size="sm" mt="md">
                  {text.rightsWhy}
                </Text>
                <Members
                  workspace={workspace}
                  members={membersOf(items.find((folder) => folder.name === name))}
                  rights={rights}
                  add={(owner, right) => grant(workspace, name, owner, right)}
                  remove={(removed) => revoke(workspace, name, removed)}
                  onChanged={list.refresh}
                />
              </>
            )}
          </>
        )}
      </EditorDialog>
    </StoredPage>
  );
}

async function loadFolder(workspace: string, name: string): Promise<Loaded<NamedValues>> {
  const { value, headers } = await ask.folders.get({ workspace, name });
  return { values: { name, summary: value.summary ?? "" }, version: headers.get("etag") ?? undefined };
}

const describeMembers = (members: readonly MemberOf[]) =>
  members
    .filter(({ right }) => right !== "owner")
    .map(({ name, right = "read" }) => `${name} (${peopleText.rights[right]})`)
    .join(", ");

function grant(workspace: string, name: string, owner: string, right: Right): Promise<unknown> {
  if (right === "owner") return call.folders.addOwner({ workspace, name, body: { owner } });
  return call.acls.add({ workspace, kind: "folder", path: name, body: { owner, write: right === "write" } });
}

/** A removed owner has no permission left. */
function revoke(workspace: string, name: string, { name: owner, right }: MemberOf): Promise<unknown> {
  if (right === "owner") return call.folders.removeOwner({ workspace, name, body: { owner } });
  return call.acls.remove({ workspace, kind: "folder", path: name, body: { owner } });
}
