import "../../parts/stored/stored.css";
import { Table, Text } from "@mantine/core";
import { When } from "../../../shared/time/when.tsx";
import { isOffered } from "../../access/actions.ts";
import { call } from "../../data/objects-api.ts";
import { appsText as text } from "../../messages/objects/apps.ts";
import { storedText } from "../../messages/objects/stored.ts";
import { EditorDialog } from "../../parts/stored/editor-dialog.tsx";
import { RowActions } from "../../parts/stored/row-actions.tsx";
import { StoredPage } from "../../parts/stored/stored-page.tsx";
import { useStoredList } from "../../parts/stored/use-stored-list.ts";
import { loadApp, newApp } from "./app.ts";
import { AppForm } from "./app-form.tsx";

/** Lists the stored apps of a workspace, and creates, changes and deletes them. */
export default function AppsPage() {
  const list = useStoredList({
    name: "apps",
    load: ({ workspace, page, signal }) => call.apps.list({ workspace, query: page, signal }),
    textsOf: ({ path, summary }) => [path, summary],
  });
  const { workspace, member, search } = list;
  const mayChange = isOffered("apps.update", member);
  return (
    <StoredPage
      text={text}
      guide="apps"
      list={list}
      mayCreate={isOffered("apps.create", member)}
      remove={(path) => call.apps.delete({ workspace, path })}
      columns={[storedText.path, text.mode, text.version, text.edited]}
      keyOf={({ path }) => path}
      row={({ path, summary, execution_mode, version, edited_at }) => (
        <>
          <Table.Th scope="row" className="stored-path">
            {path}
            <Text size="sm" c="dimmed">
              {summary}
            </Text>
          </Table.Th>
          <Table.Td>{text.modes[execution_mode]}</Table.Td>
          <Table.Td>{version}</Table.Td>
          <Table.Td>
            <When at={edited_at} />
          </Table.Td>
          <Table.Td>
            <RowActions
              path={path}
              onEdit={mayChange ? () => search.openEdit(path) : undefined}
              onDelete={isOffered("apps.delete", member) ? () => list.askToDelete(path) : undefined}
            />
          </Table.Td>
        </>
      )}
    >
      <EditorDialog search={search} mayEdit={mayChange} newTitle={text.new} blank={newApp} load={(path) => loadApp(workspace, path)}>
        {(loaded, path) => (
          <AppForm workspace={workspace} path={path} loaded={loaded} onSaved={list.onSaved} onClose={search.closeEditor} />
        )}
      </EditorDialog>
    </StoredPage>
  );
}
