import { Button, Checkbox, Group, Select, Stack, Switch, Text, TextInput } from "@mantine/core";
import { type ReactNode, useRef, useState } from "react";
import { call } from "../../data/objects-api.ts";
import { Panel } from "../../frame/panel.tsx";
import { schedulesText as text } from "../../messages/objects/schedules.ts";
import { storedText } from "../../messages/objects/stored.ts";
import { withoutSecrets } from "../../parts/draft/without-secrets.ts";
import { PathField } from "../../parts/fields/path-field.tsx";
import { JsonField } from "../../parts/json-field/json-field.tsx";
import RunForm from "../../parts/run-form/run-form.tsx";
import { EditorFooter } from "../../parts/stored/editor-form.tsx";
import { HandlerField, RunnableField } from "../../parts/stored/runnable-field.tsx";
import type { ChosenRunnable } from "../../parts/stored/runnable-path.ts";
import { type Loaded, useEditor } from "../../parts/stored/use-editor.ts";
import { useRunnable } from "../runnable/use-runnable.ts";
import { CronBuilder } from "./cron-builder.tsx";
import { MoreSettings } from "./more-settings.tsx";
import { NextRuns } from "./next-runs.tsx";
import { describeCron, keepableSchedule, loadSchedule, type ScheduleValues, scheduleFields, toSchedule } from "./schedule.ts";

interface ScheduleFormProps {
  workspace: string;
  /** The edited schedule. Undefined: a new one. */
  path: string | undefined;
  loaded: Loaded<ScheduleValues>;
  onSaved: (path: string) => void;
  onClose: () => void;
}

const handlers = [
  { name: "onFailure", args: "on_failure_extra_args" },
  { name: "onRecovery", args: "on_recovery_extra_args" },
  { name: "onSuccess", args: "on_success_extra_args" },
] as const;
const zones = [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone")])];

/** Creates or changes a schedule. */
export function ScheduleForm({ workspace, path, loaded, onSaved, onClose }: ScheduleFormProps) {
  const editor = useEditor({
    form: ["schedule", path],
    loaded,
    keepable: keepableSchedule,
    fields: scheduleFields,
    reload: () => loadSchedule(workspace, path ?? ""),
    save: (values, headers) =>
      path === undefined
        ? call.schedules.create({ workspace, body: toSchedule(values) })
        : call.schedules.update({ workspace, path, headers, body: toSchedule(values) }),
    onSaved: (saved) => onSaved(saved.path),
  });
  const { values, change } = editor;
  const [broken, setBroken] = useState<Readonly<Record<string, boolean>>>({});
  const { cron, zone, runnable, others } = values;
  const words = describeCron(cron, others.cron_version);
  const footer = (
    <EditorFooter
      editor={editor}
      isNew={path === undefined}
      canSave={!handlers.some(({ name, args }) => values[name] !== "" && broken[args])}
      onClose={onClose}
    />
  );
  return (
    <Stack gap="sm">
      {path === undefined && <PathField value={values.path} onChange={(changed) => change({ path: changed })} />}
      <TextInput
        label={text.summary}
        maxLength={1000}
        value={values.summary}
        onChange={({ target }) => change({ summary: target.value })}
      />
      <RunnableField workspace={workspace} value={runnable} onChange={(chosen) => change({ runnable: chosen })} />
      <TextInput
        label={text.cron}
        description={text.cronHelp}
        error={words === undefined && text.cronBroken}
        maxLength={200}
        spellCheck={false}
        value={cron}
        onChange={({ target }) => change({ cron: target.value })}
      />
      <Text size="sm" role="status">
        {words}
      </Text>
      {/* The first version counts the days of a week differently. */}
      {others.cron_version !== "v1" && <CronBuilder cron={cron} onChange={(built) => change({ cron: built })} />}
      <Group gap="xs" role="group" aria-label={text.examples}>
        {text.presets.map((preset) => (
          <Button key={preset.cron} size="compact-xs" variant="default" onClick={() => change({ cron: preset.cron })}>
            {preset.label}
          </Button>
        ))}
      </Group>
      <Select
        label={text.zone}
        searchable
        limit={100}
        data={zones.includes(zone) ? zones : [zone, ...zones]}
        value={zone}
        onChange={(chosen) => chosen !== null && change({ zone: chosen })}
      />
      {words !== undefined && <NextRuns cron={cron} zone={zone} version={others.cron_version} />}
      <Switch label={storedText.enabled} checked={values.isEnabled} onChange={({ target }) => change({ isEnabled: target.checked })} />
      <Checkbox label={text.noOverlap} checked={values.noOverlap} onChange={({ target }) => change({ noOverlap: target.checked })} />
      <details>
        <summary>{text.handlers}</summary>
        <Text size="sm" my="xs">
          {text.handlersWhy}
        </Text>
        {handlers.map(({ name, args }) => (
          <Stack key={name} gap={4} mb="xs">
            <HandlerField
              workspace={workspace}
              label={text[name]}
              value={values[name]}
              onChange={(handler) => change({ [name]: handler })}
            />
            {values[name] !== "" && (
              <JsonField
                label={text.argsOf(text[name])}
                help={text.handlerArgsHelp}
                isEmptyAllowed
                onBroken={(isBroken) => setBroken((current) => ({ ...current, [args]: isBroken }))}
                isObject
                value={others[args] ?? undefined}
                onChange={(changed) => change({ others: { ...others, [args]: changed ?? null } })}
              />
            )}
          </Stack>
        ))}
      </details>
      <MoreSettings others={others} onChange={(changed) => change({ others: { ...others, ...changed } })} />
      {runnable ? (
        <Arguments
          key={`${editor.formKey} ${runnable.kind} ${runnable.path}`}
          workspace={workspace}
          runnable={runnable}
          args={values.args}
          isSending={editor.isSaving}
          onEdit={(args, keepableArgs) => change({ args, keepableArgs })}
          onSubmit={(args) => editor.save({ args })}
        >
          {path !== undefined && <Text size="sm">{text.runsAs(values.runsAs)}</Text>}
          {footer}
        </Arguments>
      ) : (
        <Text c="dimmed">{text.chooseRunnable}</Text>
      )}
    </Stack>
  );
}

interface ArgumentsProps {
  workspace: string;
  runnable: ChosenRunnable;
  args: Record<string, unknown>;
  isSending: boolean;
  /** Receives the arguments, and those that the browser may store. */
  onEdit: (args: Record<string, unknown>, keepable: Record<string, unknown> | undefined) => void;
  onSubmit: (args: Record<string, unknown>) => void;
  /** The buttons. */
  children: ReactNode;
}

/** The arguments of the runs, as the form of the script or the flow. */
function Arguments({ workspace, runnable: { kind, path }, args, isSending, onEdit, onSubmit, children }: ArgumentsProps) {
  const runnable = useRunnable(workspace, kind, path);
  const values = useRef(args);
  return (
    <Panel query={runnable}>
      {({ schema }) => (
        <RunForm
          schema={schema}
          values={values}
          isSending={isSending}
          error={null}
          onEdit={(edited) => onEdit(edited, withoutSecrets(edited, schema))}
          onSubmit={onSubmit}
        >
          {children}
        </RunForm>
      )}
    </Panel>
  );
}
