import "../../parts/stored/stored.css";
import { Button, NativeSelect, Table } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Ago } from "../../../shared/time/ago.tsx";
import { isOffered } from "../../access/actions.ts";
import { call } from "../../data/objects-api.ts";
import { loadOnDemand } from "../../frame/load-on-demand.tsx";
import { notifications } from "../../frame/notifications.tsx";
import { storedText, resourcesText as text } from "../../messages/objects/stored.ts";
import { PermissionsButton } from "../../parts/people/permissions.tsx";
import { EditorDialog } from "../../parts/stored/editor-dialog.tsx";
import { UsedBy } from "../../parts/stored/in-script/used-by.tsx";
import { RowActions } from "../../parts/stored/row-actions.tsx";
import { StoredPage } from "../../parts/stored/stored-page.tsx";
import { useStoredList } from "../../parts/stored/use-stored-list.ts";
import { checkOf } from "./checks/checks.ts";
import { loadResource, newResource } from "./resource.ts";
import { resourceTypesQuery } from "./resource-types-query.ts";

// The form of a schema is large, and lists need none.
const ResourceForm = loadOnDemand(async () => ({ default: (await import("./resource-form.tsx")).ResourceForm }));

const TestDialog = loadOnDemand(async () => ({ default: (await import("./checks/test-dialog.tsx")).TestDialog }), null);

/** Lists the resources of a workspace, and creates, changes and deletes them. */
export default function ResourcesPage() {
  const list = useStoredList({
    name: "listed resources",
    load: ({ workspace, page, sought, type, signal }) =>
      call.resources.list({ workspace, query: { ...page, broad_filter: sought, resource_type: type }, signal }),
  });
  const { workspace, member, search } = list;
  const types = useQuery(resourceTypesQuery(workspace));
  const mayChange = isOffered("resources.update", member);
  const mayDelete = isOffered("resources.delete", member);
  const mayTest = isOffered("jobs.run.preview", member);
  const [tested, setTested] = useState<{ path: string; resource_type: string }>();
  const check = tested && checkOf(tested.resource_type);
  return (
    <StoredPage
      text={text}
      guide="connections"
      list={list}
      mayCreate={isOffered("resources.create", member)}
      filters={
        <>
          <NativeSelect
            size="xs"
            label={text.type}
            value={search.type ?? ""}
            data={[{ value: "", label: text.anyType }, ...(types.data ?? []).map(({ name }) => name)]}
            onChange={({ target }) => search.change({ type: target.value || undefined })}
          />
          <Link to="/w/$ws/resource-types" params={{ ws: workspace }}>
            {text.types}
          </Link>
        </>
      }
      columns={[storedText.path, text.type, storedText.description, storedText.edited]}
      consequences={(path) => <UsedBy workspace={workspace} kind="resource" path={path} isOpenAtFirst />}
      remove={(path) => call.resources.delete({ workspace, path })}
      keyOf={({ path }) => path}
      row={({ path, resource_type, description, edited_at }) => (
        <>
          <Table.Th scope="row" className="stored-path">
            {path}
          </Table.Th>
          <Table.Td>{resource_type}</Table.Td>
          <Table.Td>
            <span className="stored-description">{description}</span>
          </Table.Td>
          <Table.Td>{edited_at !== undefined && <Ago at={edited_at} />}</Table.Td>
          <Table.Td>
            <RowActions
              path={path}
              onEdit={mayChange ? () => search.openEdit(path) : undefined}
              onDelete={mayDelete ? () => list.askToDelete(path) : undefined}
            >
              <PermissionsButton kind="resource" path={path} />
              {resource_type === "s3" && <TestBucket workspace={workspace} path={path} />}
              {mayTest && checkOf(resource_type) && (
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={text.testOf(path)}
                  onClick={() => setTested({ path, resource_type })}
                >
                  {text.test}
                </Button>
              )}
            </RowActions>
          </Table.Td>
        </>
      )}
    >
      <EditorDialog
        search={search}
        mayEdit={mayChange}
        newTitle={text.new}
        blank={{ ...newResource, type: search.type ?? "" }}
        load={(path) => loadResource(workspace, path)}
      >
        {(loaded, path) => (
          <ResourceForm workspace={workspace} path={path} loaded={loaded} onSaved={list.onSaved} onClose={search.closeEditor} />
        )}
      </EditorDialog>
      {tested && check && <TestDialog workspace={workspace} path={tested.path} check={check} onClose={() => setTested(undefined)} />}
    </StoredPage>
  );
}

/** Checks that the service reaches a bucket with the keys of a resource. */
function TestBucket({ workspace, path }: { workspace: string; path: string }) {
  const test = useMutation({
    mutationFn: () => call.files.testConnection({ workspace, query: { s3_resource_path: path } }),
    onSuccess: () => notifications.show({ message: text.testPassed(path) }),
    onError: ({ message }) => notifications.show({ message }),
  });
  return (
    <Button size="compact-sm" variant="default" aria-label={text.testOf(path)} loading={test.isPending} onClick={() => test.mutate()}>
      {text.test}
    </Button>
  );
}
