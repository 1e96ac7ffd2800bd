import { Button, Checkbox, Text, Textarea } from "@mantine/core";
import { useState } from "react";
import type { FailureNotices } from "../../../../../contract/routes/workspaces/failure-notices.ts";
import type { SettingsJson } from "../../../../../contract/routes/workspaces/setting-schemas.ts";
import { call } from "../../data/objects-api.ts";
import { workspaceSettingsText } from "../../messages/objects/workspace-settings.ts";
import { parseObject } from "../../parts/stored/parse-object.ts";
import { type ChosenRunnable, RunnableField } from "../../parts/stored/runnable-field.tsx";
import { SettingForm } from "./setting-form.tsx";
import { useSettingSave } from "./settings.ts";

const text = workspaceSettingsText.handler;

/** Parses the path of a handler: `script/f/ops/alarm`. A path alone is that of a script. */
export function parseHandler(path: string | undefined): ChosenRunnable | undefined {
  if (!path) return undefined;
  const [, kind = "script", named = path] = /^(script|flow)\/(.*)$/.exec(path) ?? [];
  return { kind: kind === "flow" ? "flow" : "script", path: named };
}

interface HandlerProps {
  workspace: string;
  settings: SettingsJson;
  /** The handler of failed runs, or of those that succeed. */
  of: "error" | "success";
}

/** The script or the flow that is called after each run of the workspace. */
export function Handler({ workspace, settings, of }: HandlerProps) {
  const name = of === "error" ? "error_handler" : "success_handler";
  const stored = settings[name];
  const [runnable, setRunnable] = useState(parseHandler(stored?.path));
  const [args, setArgs] = useState(stored?.extra_args ? JSON.stringify(stored.extra_args, null, 2) : "");
  const [ignoresCanceled, setIgnoresCanceled] = useState(settings.error_handler?.muted_on_cancel ?? false);
  const [ignoresPersonal, setIgnoresPersonal] = useState(settings.error_handler?.muted_on_user_path ?? false);
  const parsed = parseObject(args);
  const save = useSettingSave<ChosenRunnable | undefined>({
    workspace,
    seen: settings,
    names: [name],
    save: (chosen) => {
      if (!chosen)
        return of === "error"
          ? call.workspaces.editErrorHandler({ workspace, body: {} })
          : call.workspaces.editSuccessHandler({ workspace, body: {} });
      const body = { path: `${chosen.kind}/${chosen.path}`, extra_args: parsed ?? null };
      return of === "success"
        ? call.workspaces.editSuccessHandler({ workspace, body })
        : call.workspaces.editErrorHandler({
            workspace,
            body: { ...body, muted_on_cancel: ignoresCanceled, muted_on_user_path: ignoresPersonal },
          });
    },
  });
  return (
    <SettingForm
      isSaving={save.isPending}
      error={save.error}
      canSave={parsed !== undefined && runnable !== undefined}
      onSave={() => save.mutate(runnable)}
      actions={
        stored && (
          <Button
            variant="default"
            onClick={() => {
              setRunnable(undefined);
              save.mutate(undefined);
            }}
          >
            {text.remove}
          </Button>
        )
      }
    >
      <Text>{of === "error" ? text.errorWhy : text.successWhy}</Text>
      <RunnableField workspace={workspace} value={runnable} onChange={setRunnable} />
      <Textarea
        label={text.args}
        description={text.argsHelp}
        error={parsed === undefined && workspaceSettingsText.general.broken}
        rows={4}
        spellCheck={false}
        value={args}
        onChange={({ target }) => setArgs(target.value)}
      />
      {of === "error" && (
        <>
          <Checkbox label={text.ignoreCanceled} checked={ignoresCanceled} onChange={({ target }) => setIgnoresCanceled(target.checked)} />
          <Checkbox label={text.ignorePersonal} checked={ignoresPersonal} onChange={({ target }) => setIgnoresPersonal(target.checked)} />
        </>
      )}
    </SettingForm>
  );
}

/** Sets the receivers of notices about failures. */
export function FailureNoticesForm({ workspace, settings }: { workspace: string; settings: SettingsJson }) {
  const [rules, setRules] = useState(JSON.stringify(settings.failure_notices ?? { rules: [] }, null, 2));
  const parsed = parseObject(rules);
  const save = useSettingSave({
    workspace,
    seen: settings,
    names: ["failure_notices"],
    // The service checks the rules.
    save: () => call.workspaces.editFailureNotices({ workspace, body: (parsed ?? { rules: [] }) as FailureNotices }),
  });
  return (
    <SettingForm isSaving={save.isPending} error={save.error} canSave={parsed !== undefined} onSave={() => save.mutate()}>
      <Textarea
        label={text.notices}
        description={text.noticesHelp}
        error={parsed === undefined && workspaceSettingsText.general.broken}
        rows={6}
        spellCheck={false}
        value={rules}
        onChange={({ target }) => setRules(target.value)}
      />
    </SettingForm>
  );
}
