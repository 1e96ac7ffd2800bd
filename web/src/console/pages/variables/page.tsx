import "../../parts/stored/stored.css";
import { Button, Modal, Stack, Table, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { VariableJson } from "../../../../../contract/routes/stored/variables.ts";
import { Ago } from "../../../shared/time/ago.tsx";
import { isOffered } from "../../access/actions.ts";
import { call } from "../../data/objects-api.ts";
import { Failed } from "../../frame/panel.tsx";
import { storedText, variablesText as text } from "../../messages/objects/stored.ts";
import { PermissionsButton } from "../../parts/people/permissions.tsx";
import { ShownOnce } from "../../parts/shown-once.tsx";
import { EditorDialog } from "../../parts/stored/editor-dialog.tsx";
import { UsedBy } from "../../parts/stored/in-script/used-by.tsx";
import { RowActions } from "../../parts/stored/row-actions.tsx";
import { StoredPage } from "../../parts/stored/stored-page.tsx";
import { useStoredList } from "../../parts/stored/use-stored-list.ts";
import { loadVariable, newVariable } from "./variable.ts";
import { VariableForm } from "./variable-form.tsx";

/** Lists the variables of a workspace, and creates, shows, changes and deletes them. */
export default function VariablesPage() {
  const list = useStoredList({
    name: "variables",
    load: ({ workspace, page, sought, signal }) => call.variables.list({ workspace, query: { ...page, broad_filter: sought }, signal }),
  });
  const { workspace, member, search } = list;
  const mayChange = isOffered("variables.update", member);
  return (
    <StoredPage
      text={text}
      guide="connections"
      list={list}
      mayCreate={isOffered("variables.create", member)}
      columns={[storedText.path, text.value, storedText.description, storedText.edited]}
      consequences={(path) => <UsedBy workspace={workspace} kind="variable" path={path} isOpenAtFirst />}
      remove={(path) => call.variables.delete({ workspace, path })}
      keyOf={({ path }) => path}
      row={(variable) => (
        <>
          <Table.Th scope="row" className="stored-path">
            {variable.path}
          </Table.Th>
          <Table.Td>
            {variable.is_secret ? <SecretMark variable={variable} /> : <span className="stored-value">{variable.value}</span>}
          </Table.Td>
          <Table.Td>
            <span className="stored-description">{variable.description}</span>
          </Table.Td>
          <Table.Td>{variable.edited_at !== undefined && <Ago at={variable.edited_at} />}</Table.Td>
          <Table.Td>
            <RowActions
              path={variable.path}
              onEdit={mayChange ? () => search.openEdit(variable.path) : undefined}
              onDelete={isOffered("variables.delete", member) ? () => list.askToDelete(variable.path) : undefined}
            >
              <PermissionsButton kind="variable" path={variable.path} />
              {variable.is_secret && <ShowSecret workspace={workspace} path={variable.path} />}
            </RowActions>
          </Table.Td>
        </>
      )}
    >
      <EditorDialog
        search={search}
        mayEdit={mayChange}
        newTitle={text.new}
        blank={newVariable}
        load={(path) => loadVariable(workspace, path)}
      >
        {(loaded, path) => (
          <VariableForm workspace={workspace} path={path} loaded={loaded} onSaved={list.onSaved} onClose={search.closeEditor} />
        )}
      </EditorDialog>
    </StoredPage>
  );
}

function SecretMark({ variable: { is_oauth, refresh_error } }: { variable: VariableJson }) {
  return (
    <>
      <span className="mark">{text.secret}</span>
      {is_oauth && (
        <Text size="xs" c="dimmed">
          {text.account}
        </Text>
      )}
      {refresh_error && (
        <Text size="xs" className="step-error">
          {refresh_error}
        </Text>
      )}
    </>
  );
}

/** Reads a secret when its user asks for it. The value is forgotten when the dialog closes. */
function ShowSecret({ workspace, path }: { workspace: string; path: string }) {
  const shown = useMutation({ gcTime: 0, mutationFn: () => call.variables.getValue({ workspace, path }) });
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={storedText.showOf(path)}
        loading={shown.isPending}
        onClick={() => shown.mutate()}
      >
        {storedText.show}
      </Button>
      <Modal opened={shown.isSuccess || shown.isError} onClose={shown.reset} title={text.secretOf(path)}>
        <Stack>
          {shown.error && <Failed error={shown.error} />}
          {shown.data !== undefined && <ShownOnce label={text.value} description={text.shownWhy} value={shown.data} />}
        </Stack>
      </Modal>
    </>
  );
}
