import { Button, Checkbox, Group, NativeSelect, Text, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { call } from "../../data/objects-api.ts";
import { routesText as text } from "../../messages/objects/routes.ts";
import { LabelsField } from "../../parts/fields/labels-field.tsx";
import { PathField } from "../../parts/fields/path-field.tsx";
import { EditorForm } from "../../parts/stored/editor-form.tsx";
import { RunnableField } from "../../parts/stored/runnable-field.tsx";
import { type Loaded, useEditor } from "../../parts/stored/use-editor.ts";
import {
  type Authentication,
  keepableRoute,
  loadRoute,
  type Method,
  methods,
  type RequestType,
  type RouteValues,
  resourceTypes,
  routeFields,
  type Serving,
  toRoute,
} from "./route.ts";
import { StaticFiles } from "./static-files.tsx";

interface RouteFormProps {
  workspace: string;
  /** The edited route. Undefined: a new one. */
  path: string | undefined;
  loaded: Loaded<RouteValues>;
  onSaved: (path: string) => void;
  onClose: () => void;
}

const optionsOf = (labels: Readonly<Record<string, string>>) => Object.entries(labels).map(([value, label]) => ({ value, label }));

/** Creates or changes an HTTP route. */
export function RouteForm({ workspace, path, loaded, onSaved, onClose }: RouteFormProps) {
  const editor = useEditor({
    form: ["route", path],
    loaded,
    keepable: keepableRoute,
    fields: routeFields,
    reload: () => loadRoute(workspace, path ?? ""),
    save: (values, headers) =>
      path === undefined
        ? call.http_triggers.create({ workspace, body: toRoute(values) })
        : call.http_triggers.update({ workspace, path, headers, body: toRoute(values) }),
    onSaved: (saved) => onSaved(saved.path),
  });
  const { values, change } = editor;
  const servesFiles = values.serving !== "run";
  const type = resourceTypes[values.authentication];
  return (
    <EditorForm editor={editor} isNew={path === undefined} onClose={onClose}>
      <PathField value={values.path} onChange={(changed) => change({ path: changed })} />
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <NativeSelect
          label={text.method}
          data={methods.map((value) => ({ value, label: value.toUpperCase() }))}
          value={servesFiles ? "get" : values.method}
          disabled={servesFiles}
          onChange={({ target }) => change({ method: target.value as Method })}
        />
        <TextInput
          className="grow"
          label={text.route}
          description={text.routeHelp}
          inputWrapperOrder={["label", "input", "description", "error"]}
          required
          withAsterisk={false}
          maxLength={255}
          spellCheck={false}
          value={values.route}
          onChange={({ target }) => change({ route: target.value.trim() })}
        />
      </Group>
      <Checkbox label={text.workspaced} checked={values.isWorkspaced} onChange={({ target }) => change({ isWorkspaced: target.checked })} />
      <NativeSelect
        label={text.serves}
        data={optionsOf(text.serving)}
        value={values.serving}
        onChange={({ target }) => change({ serving: target.value as Serving })}
      />
      {servesFiles && (
        <StaticFiles isFolder={values.serving === "site"} value={values.fileKey} onChange={(fileKey) => change({ fileKey })} />
      )}
      {values.serving === "file" && (
        <TextInput
          label={text.fileName}
          maxLength={255}
          value={values.fileName}
          onChange={({ target }) => change({ fileName: target.value })}
        />
      )}
      {servesFiles ? (
        <Text size="sm">{text.notStarted}</Text>
      ) : (
        <RunnableField workspace={workspace} value={values.runnable} onChange={(runnable) => change({ runnable })} />
      )}
      {servesFiles && values.runnable && values.authentication === "svc" && (
        <Group gap="xs">
          <Text size="sm">{text.mustRead(values.runnable.path)}</Text>
          <Button size="compact-xs" variant="default" onClick={() => change({ runnable: undefined })}>
            {text.withoutRunnable}
          </Button>
        </Group>
      )}
      {!servesFiles && (
        <NativeSelect
          label={text.requestType}
          data={optionsOf(text.requestTypes)}
          value={values.requestType}
          onChange={({ target }) => change({ requestType: target.value as RequestType })}
        />
      )}
      <NativeSelect
        label={text.authentication}
        data={optionsOf(text.authentications)}
        value={values.authentication}
        onChange={({ target }) => change({ authentication: target.value as Authentication, resource: "" })}
      />
      {type !== undefined && (
        <SecretField workspace={workspace} type={type} value={values.resource} onChange={(resource) => change({ resource })} />
      )}
      {!servesFiles && (
        <Checkbox label={text.wrapBody} checked={values.wrapsBody} onChange={({ target }) => change({ wrapsBody: target.checked })} />
      )}
      {!servesFiles && (
        <Checkbox label={text.rawString} checked={values.passesRaw} onChange={({ target }) => change({ passesRaw: target.checked })} />
      )}
      <Textarea
        label={text.origins}
        description={text.originsHelp}
        rows={2}
        spellCheck={false}
        value={values.origins}
        onChange={({ target }) => change({ origins: target.value })}
      />
      <TextInput
        label={text.summary}
        maxLength={1000}
        value={values.summary}
        onChange={({ target }) => change({ summary: target.value })}
      />
      <Textarea
        label={text.description}
        rows={2}
        maxLength={10_000}
        value={values.description}
        onChange={({ target }) => change({ description: target.value })}
      />
      <LabelsField label={text.labels} help={text.labelsHelp} value={values.labels} onChange={(labels) => change({ labels })} />
      {path !== undefined && <Text size="sm">{text.runsAs(values.runsAs)}</Text>}
    </EditorForm>
  );
}

interface SecretFieldProps {
  workspace: string;
  type: string;
  value: string;
  onChange: (path: string) => void;
}

/** Chooses the resource with which callers are checked. */
function SecretField({ workspace, type, value, onChange }: SecretFieldProps) {
  const listed = useQuery({
    queryKey: [workspace, "resource names", type],
    queryFn: ({ signal }) => call.resources.listNames({ workspace, name: type, signal }),
  });
  const paths = (listed.data ?? []).map(({ path }) => path);
  const offered = value === "" || paths.includes(value) ? paths : [value, ...paths];
  return (
    <>
      <NativeSelect
        label={text.resource}
        error={listed.error?.message ?? (listed.data && offered.length === 0 ? text.noResource(type) : undefined)}
        required
        withAsterisk={false}
        data={[{ value: "", label: "" }, ...offered]}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      <Link to="/w/$ws/resources" params={{ ws: workspace }} search={{ new: "true", type }} target="_blank">
        {text.newResource(type)}
      </Link>
    </>
  );
}
