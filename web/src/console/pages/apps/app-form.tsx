import { Button, Group, NativeSelect, Text, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { When } from "../../../shared/time/when.tsx";
import { call } from "../../data/objects-api.ts";
import { Failed, Panel } from "../../frame/panel.tsx";
import { appsText as text } from "../../messages/objects/apps.ts";
import { PathField } from "../../parts/fields/path-field.tsx";
import { EditorForm } from "../../parts/stored/editor-form.tsx";
import { type Loaded, useEditor } from "../../parts/stored/use-editor.ts";
import { type AppValues, appFields, isJson, keepableApp, loadApp, toAppChange, toNewApp } from "./app.ts";

interface AppFormProps {
  workspace: string;
  /** The edited app. Undefined: a new one. */
  path: string | undefined;
  loaded: Loaded<AppValues>;
  onSaved: (path: string) => void;
  onClose: () => void;
}

const modes = Object.entries(text.modes).map(([value, label]) => ({ value, label }));

/** Creates or changes an app as JSON. */
export function AppForm({ workspace, path, loaded, onSaved, onClose }: AppFormProps) {
  const editor = useEditor({
    form: ["app", path],
    loaded,
    keepable: keepableApp,
    fields: appFields,
    reload: () => loadApp(workspace, path ?? ""),
    save: (values, headers) =>
      path === undefined
        ? call.apps.create({ workspace, body: toNewApp(values) })
        : call.apps.update({ workspace, path, headers, body: toAppChange(values) }),
    onSaved: (saved) => onSaved(saved.path),
  });
  const { values, change } = editor;
  const isBroken = !isJson(values.value);
  return (
    <EditorForm editor={editor} isNew={path === undefined} canSave={!isBroken} onClose={onClose}>
      <PathField value={values.path} onChange={(changed) => change({ path: changed })} />
      <TextInput
        label={text.summary}
        maxLength={1000}
        value={values.summary}
        onChange={({ target }) => change({ summary: target.value })}
      />
      <NativeSelect
        label={text.mode}
        data={modes}
        value={values.policy.execution_mode}
        onChange={({ target }) =>
          change({ policy: { ...values.policy, execution_mode: target.value as AppValues["policy"]["execution_mode"] } })
        }
      />
      <Textarea
        label={text.value}
        description={text.valueHelp}
        error={isBroken && text.broken}
        rows={14}
        spellCheck={false}
        classNames={{ input: "stored-input" }}
        value={values.value}
        onChange={({ target }) => change({ value: target.value })}
      />
      <TextInput
        label={text.message}
        description={text.messageHelp}
        maxLength={1000}
        value={values.message}
        onChange={({ target }) => change({ message: target.value })}
      />
      {path !== undefined && <Versions workspace={workspace} path={path} onLoaded={(value) => change({ value })} />}
    </EditorForm>
  );
}

/** Lists the versions of an app. Each can be loaded into the form. */
function Versions({ workspace, path, onLoaded }: { workspace: string; path: string; onLoaded: (value: string) => void }) {
  const [message, setMessage] = useState("");
  const versions = useQuery({
    queryKey: [workspace, "versions of app", path],
    queryFn: ({ signal }) => call.apps.history({ workspace, path, signal }),
  });
  const load = useMutation({
    mutationFn: (version: number) => call.apps.getByVersion({ workspace, version }),
    onSuccess: ({ value }, version) => {
      onLoaded(JSON.stringify(value, null, 2));
      setMessage(text.loaded(version));
    },
  });
  return (
    <details>
      <summary>{text.versions}</summary>
      <Panel query={versions}>
        {(found) => (
          <ul className="plain-list">
            {found.map(({ version, created_at, created_by, deployment_msg }) => (
              <li key={version}>
                <Group gap="xs">
                  <Text size="sm">
                    {version} · <When at={created_at} /> {text.by(created_by)} {deployment_msg}
                  </Text>
                  <Button size="compact-xs" variant="default" aria-label={text.loadOf(version)} onClick={() => load.mutate(version)}>
                    {text.load}
                  </Button>
                </Group>
              </li>
            ))}
          </ul>
        )}
      </Panel>
      {load.error && <Failed error={load.error} />}
      <Text size="sm" role="status">
        {message}
      </Text>
    </details>
  );
}
