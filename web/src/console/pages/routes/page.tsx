import "../../parts/stored/stored.css";
import { Button, Switch, Table, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { isOffered } from "../../access/actions.ts";
import { useMember, useWorkspace } from "../../data/me.ts";
import { call } from "../../data/objects-api.ts";
import { notifications } from "../../frame/notifications.tsx";
import { routesText as text } from "../../messages/objects/routes.ts";
import { schedulesText } from "../../messages/objects/schedules.ts";
import { storedText } from "../../messages/objects/stored.ts";
import { DeleteDialog } from "../../parts/stored/delete-dialog.tsx";
import { EditorDialog } from "../../parts/stored/editor-dialog.tsx";
import { RowActions } from "../../parts/stored/row-actions.tsx";
import { StoredPage } from "../../parts/stored/stored-page.tsx";
import { usePages } from "../../parts/stored/use-pages.ts";
import { useStoredSearch } from "../../parts/stored/use-stored-search.ts";
import { OpenapiDialog } from "./openapi-dialog.tsx";
import { addressOf, type HttpRoute, loadRoute, newRoute } from "./route.ts";
import { RouteForm } from "./route-form.tsx";
import { TestRoute } from "./test-route.tsx";

/** Lists the HTTP routes of a workspace, creates, tests and changes them, and makes their OpenAPI document. */
export default function RoutesPage() {
  const workspace = useWorkspace();
  const member = useMember();
  const queries = useQueryClient();
  const search = useStoredSearch();
  const [deleted, setDeleted] = useState<string>();
  const [tested, setTested] = useState<HttpRoute>();
  const [isExporting, setIsExporting] = useState(false);
  const listKey = [workspace, "http routes"];
  const routes = usePages(listKey, ({ query, signal }) => call.http_triggers.list({ workspace, query, signal }));
  const refresh = () => void queries.invalidateQueries({ queryKey: listKey });
  const needle = search.sought.toLowerCase();
  const mayChange = isOffered("http_triggers.update", member);
  return (
    <StoredPage
      text={text}
      guide="http-routes"
      search={search}
      mayCreate={isOffered("http_triggers.create", member)}
      query={routes}
      isShown={({ path, route_path, summary }) => `${path} ${route_path} ${summary ?? ""}`.toLowerCase().includes(needle)}
      filters={
        <Button size="xs" variant="default" onClick={() => setIsExporting(true)}>
          {text.openapi}
        </Button>
      }
      columns={[text.route, storedText.path, schedulesText.runnable, text.authentication, text.enabled]}
      keyOf={({ path }) => path}
      row={(route) => (
        <Row
          workspace={workspace}
          route={route}
          onChanged={refresh}
          onTest={() => setTested(route)}
          onEdit={mayChange ? () => search.openEdit(route.path) : undefined}
          onDelete={isOffered("http_triggers.delete", member) ? () => setDeleted(route.path) : undefined}
        />
      )}
    >
      <EditorDialog search={search} mayEdit={mayChange} newTitle={text.new} blank={newRoute} load={(path) => loadRoute(workspace, path)}>
        {(loaded, path) => (
          <RouteForm
            workspace={workspace}
            path={path}
            loaded={loaded}
            onSaved={(saved) => {
              notifications.show({ message: storedText.saved(saved) });
              search.closeEditor();
              refresh();
            }}
            onClose={search.closeEditor}
          />
        )}
      </EditorDialog>
      {tested && <TestRoute workspace={workspace} route={tested} onClose={() => setTested(undefined)} />}
      {isExporting && <OpenapiDialog workspace={workspace} onClose={() => setIsExporting(false)} />}
      <DeleteDialog
        path={deleted}
        why={text.deleteWhy}
        remove={(path) => call.http_triggers.delete({ workspace, path })}
        onDeleted={refresh}
        onClose={() => setDeleted(undefined)}
      />
    </StoredPage>
  );
}

interface RowProps {
  workspace: string;
  route: HttpRoute;
  onChanged: () => void;
  onTest: () => void;
  onEdit: (() => void) | undefined;
  onDelete: (() => void) | undefined;
}

function Row({ workspace, route, onChanged, onTest, onEdit, onDelete }: RowProps) {
  const { path, summary, script_path, is_flow, authentication_method, mode } = route;
  const turn = useMutation({
    mutationFn: (isOn: boolean) => call.http_triggers.setMode({ workspace, path, body: { mode: isOn ? "enabled" : "disabled" } }),
    onSuccess: (_, isOn) => {
      notifications.show({ message: isOn ? text.turnedOn(path) : text.turnedOff(path) });
      onChanged();
    },
    onError: ({ message }) => notifications.show({ message }),
  });
  const address = addressOf({ workspace, route: route.route_path, isWorkspaced: route.workspaced_route, parts: {}, query: "" });
  return (
    <>
      <Table.Th scope="row" className="stored-path">
        {route.http_method.toUpperCase()} {address}
        <Text size="sm" c="dimmed">
          {summary}
        </Text>
      </Table.Th>
      <Table.Td className="path">{path}</Table.Td>
      <Table.Td>
        <Link to={is_flow ? "/w/$ws/flows/$" : "/w/$ws/scripts/$"} params={{ ws: workspace, _splat: script_path }}>
          {script_path}
        </Link>
      </Table.Td>
      <Table.Td>{authentication_method === "windmill" ? text.authentications.svc : text.authentications[authentication_method]}</Table.Td>
      <Table.Td>
        <Switch
          aria-label={text.enabledOf(path)}
          checked={mode === "enabled"}
          disabled={!onEdit || turn.isPending}
          onChange={({ target }) => turn.mutate(target.checked)}
        />
      </Table.Td>
      <Table.Td>
        <RowActions path={path} onEdit={onEdit} onDelete={onDelete}>
          <Button size="compact-sm" variant="default" aria-label={text.testOf(path)} onClick={onTest}>
            {text.test}
          </Button>
        </RowActions>
      </Table.Td>
    </>
  );
}
