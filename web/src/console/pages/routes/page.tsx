import "../../parts/stored/stored.css";
import { Button, Table, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { isOffered } from "../../access/actions.ts";
import { call } from "../../data/objects-api.ts";
import { routesText as text } from "../../messages/objects/routes.ts";
import { schedulesText } from "../../messages/objects/schedules.ts";
import { storedText } from "../../messages/objects/stored.ts";
import { PermissionsButton } from "../../parts/people/permissions.tsx";
import { EditorDialog } from "../../parts/stored/editor-dialog.tsx";
import { EnabledSwitch } from "../../parts/stored/enabled-switch.tsx";
import { RowActions } from "../../parts/stored/row-actions.tsx";
import { StoredPage } from "../../parts/stored/stored-page.tsx";
import { useStoredList } from "../../parts/stored/use-stored-list.ts";
import { OpenapiDialog } from "./openapi-dialog.tsx";
import { addressOf, type HttpRoute, loadRoute, newRoute } from "./route.ts";
import { RouteForm } from "./route-form.tsx";
import { TestRoute } from "./test-route.tsx";

/** Lists the HTTP routes of a workspace, creates, tests and changes them, and makes their OpenAPI document. */
export default function RoutesPage() {
  const [tested, setTested] = useState<HttpRoute>();
  const [isExporting, setIsExporting] = useState(false);
  const list = useStoredList({
    name: "http routes",
    load: ({ workspace, page, signal }) => call.http_triggers.list({ workspace, query: page, signal }),
    textsOf: ({ path, route_path, summary }) => [path, route_path, summary],
  });
  const { workspace, member, search } = list;
  const mayChange = isOffered("http_triggers.update", member);
  return (
    <StoredPage
      text={text}
      guide="http-routes"
      list={list}
      mayCreate={isOffered("http_triggers.create", member)}
      filters={
        <Button size="xs" variant="default" onClick={() => setIsExporting(true)}>
          {text.openapi}
        </Button>
      }
      columns={[text.route, storedText.path, schedulesText.runnable, text.authentication, storedText.enabled]}
      remove={(path) => call.http_triggers.delete({ workspace, path })}
      keyOf={({ path }) => path}
      row={(route) => (
        <Row
          workspace={workspace}
          route={route}
          onChanged={() => void list.refresh()}
          onTest={() => setTested(route)}
          onEdit={mayChange ? () => search.openEdit(route.path) : undefined}
          onDelete={isOffered("http_triggers.delete", member) ? () => list.askToDelete(route.path) : undefined}
        />
      )}
    >
      <EditorDialog search={search} mayEdit={mayChange} newTitle={text.new} blank={newRoute} load={(path) => loadRoute(workspace, path)}>
        {(loaded, path) => (
          <RouteForm workspace={workspace} path={path} loaded={loaded} onSaved={list.onSaved} onClose={search.closeEditor} />
        )}
      </EditorDialog>
      {tested && <TestRoute workspace={workspace} route={tested} onClose={() => setTested(undefined)} />}
      {isExporting && <OpenapiDialog workspace={workspace} onClose={() => setIsExporting(false)} />}
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
        <EnabledSwitch
          path={path}
          isEnabled={mode === "enabled"}
          mayChange={onEdit !== undefined}
          save={(isOn) => call.http_triggers.setMode({ workspace, path, body: { mode: isOn ? "enabled" : "disabled" } })}
          onChanged={onChanged}
        />
      </Table.Td>
      <Table.Td>
        <RowActions path={path} onEdit={onEdit} onDelete={onDelete}>
          <PermissionsButton kind="http_trigger" path={path} />
          <Button size="compact-sm" variant="default" aria-label={text.testOf(path)} onClick={onTest}>
            {text.test}
          </Button>
        </RowActions>
      </Table.Td>
    </>
  );
}
