import "../../parts/stored/stored.css";
import { Table } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ResourceTypeJson } from "../../../../../contract/routes/stored/resources.ts";
import { isOffered } from "../../access/actions.ts";
import { call } from "../../data/objects-api.ts";
import { loadOnDemand } from "../../frame/load-on-demand.tsx";
import { storedText, typesText as text } from "../../messages/objects/stored.ts";
import { EditorDialog } from "../../parts/stored/editor-dialog.tsx";
import { RowActions } from "../../parts/stored/row-actions.tsx";
import { StoredPage } from "../../parts/stored/stored-page.tsx";
import { useStoredList } from "../../parts/stored/use-stored-list.ts";
import { loadType, newType } from "./resource-type.ts";

// The form of a schema is large, and lists need none.
const TypeForm = loadOnDemand(async () => ({ default: (await import("./type-form.tsx")).TypeForm }));

const isBuiltIn = ({ workspace_id }: ResourceTypeJson) => workspace_id === undefined;
const fieldsOf = ({ schema }: ResourceTypeJson) => Object.keys((schema?.["properties"] as object | undefined) ?? {});

/** Lists the resource types of a workspace, and creates, changes and deletes its own ones. */
export default function ResourceTypesPage() {
  const list = useStoredList({
    name: "resource types",
    load: ({ workspace, signal }) => call.resources.types.list({ workspace, signal }),
    isWhole: true,
    textsOf: ({ name, description }) => [name, description],
  });
  const { workspace, member, search } = list;
  const mayChange = isOffered("resources.types.update", member);
  return (
    <StoredPage
      text={text}
      guide="connections"
      list={list}
      mayCreate={isOffered("resources.types.create", member)}
      columns={[storedText.name, storedText.description, text.fields, text.source]}
      remove={(name) => call.resources.types.delete({ workspace, name })}
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
              onDelete={isOffered("resources.types.delete", member) && !isBuiltIn(type) ? () => list.askToDelete(type.name) : undefined}
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
        {(loaded, name) => (
          <TypeForm workspace={workspace} name={name} loaded={loaded} onSaved={list.onSaved} onClose={search.closeEditor} />
        )}
      </EditorDialog>
    </StoredPage>
  );
}
