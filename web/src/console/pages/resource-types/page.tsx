import "../../parts/stored/stored.css";
import { Table } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, useState } from "react";
import type { ResourceTypeJson } from "../../../../../contract/routes/stored/resources.ts";
import { isOffered } from "../../access/actions.ts";
import { useMember, useWorkspace } from "../../data/me.ts";
import { call } from "../../data/objects-api.ts";
import { notifications } from "../../frame/notifications.tsx";
import { storedText, typesText as text } from "../../messages/objects/stored.ts";
import { DeleteDialog } from "../../parts/stored/delete-dialog.tsx";
import { EditorDialog } from "../../parts/stored/editor-dialog.tsx";
import { RowActions } from "../../parts/stored/row-actions.tsx";
import { StoredPage } from "../../parts/stored/stored-page.tsx";
import { useWhole } from "../../parts/stored/use-pages.ts";
import { useStoredSearch } from "../../parts/stored/use-stored-search.ts";
import { loadType, newType } from "./resource-type.ts";

// The form of a schema is large, and lists need none.
const TypeForm = lazy(async () => ({ default: (await import("./type-form.tsx")).TypeForm }));

const isBuiltIn = ({ workspace_id }: ResourceTypeJson) => workspace_id === undefined;
const fieldsOf = ({ schema }: ResourceTypeJson) => Object.keys((schema?.["properties"] as object | undefined) ?? {});

/** Lists the resource types of a workspace, and creates, changes and deletes its own ones. */
export default function ResourceTypesPage() {
  const workspace = useWorkspace();
  const member = useMember();
  const queries = useQueryClient();
  const search = useStoredSearch();
  const [deleted, setDeleted] = useState<string>();
  const listKey = [workspace, "resource types"];
  const needle = search.sought.toLowerCase();
  const types = useWhole(listKey, (signal) => call.resources.types.list({ workspace, signal }));
  const refresh = () => void queries.invalidateQueries({ queryKey: listKey });
  const onSaved = (name: string) => {
    notifications.show({ message: storedText.saved(name) });
    search.closeEditor();
    refresh();
  };
  const mayChange = isOffered("resources.types.update", member);
  return (
    <StoredPage
      text={text}
      guide="connections"
      search={search}
      mayCreate={isOffered("resources.types.create", member)}
      query={types}
      isShown={({ name, description = "" }) => `${name} ${description}`.toLowerCase().includes(needle)}
      columns={[storedText.name, storedText.description, text.fields, text.source]}
      keyOf={({ name }) => name}
      row={(type) => (
        <>
          <Table.Th scope="row" className="stored-path">
            {type.name}
          </Table.Th>
          <Table.Td>
            <span className="stored-description">{type.description}</span>
          </Table.Td>
          <Table.Td>
            <span className="stored-description">{fieldsOf(type).join(", ")}</span>
          </Table.Td>
          <Table.Td>{isBuiltIn(type) ? text.builtIn : text.own}</Table.Td>
          <Table.Td>
            <RowActions
              path={type.name}
              onEdit={mayChange && !isBuiltIn(type) ? () => search.openEdit(type.name) : undefined}
              onDelete={isOffered("resources.types.delete", member) && !isBuiltIn(type) ? () => setDeleted(type.name) : undefined}
            >
              <Link to="/w/$ws/resources" params={{ ws: workspace }} search={{ type: type.name }} aria-label={text.resourcesOf(type.name)}>
                {text.resources}
              </Link>
            </RowActions>
          </Table.Td>
        </>
      )}
    >
      <EditorDialog
        search={search}
        mayEdit={mayChange}
        newTitle={text.new}
        blank={newType}
        load={(name) => loadType(workspace, name)}
        size="xl"
      >
        {(loaded, name) => <TypeForm workspace={workspace} name={name} loaded={loaded} onSaved={onSaved} onClose={search.closeEditor} />}
      </EditorDialog>
      <DeleteDialog
        path={deleted}
        why={text.deleteWhy}
        remove={(name) => call.resources.types.delete({ workspace, name })}
        onDeleted={refresh}
        onClose={() => setDeleted(undefined)}
      />
    </StoredPage>
  );
}
