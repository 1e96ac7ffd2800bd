import { Button, Checkbox, Text } from "@mantine/core";
import { useState } from "react";
import type { FailureNoticeRule } from "../../../../../contract/routes/workspaces/failure-notices.ts";
import type { SettingsJson } from "../../../../../contract/routes/workspaces/setting-schemas.ts";
import { call } from "../../data/objects-api.ts";
import { workspaceSettingsText } from "../../messages/objects/workspace-settings.ts";
import { JsonField } from "../../parts/json-field/json-field.tsx";
import { type ChosenRunnable, RunnableField } from "../../parts/stored/runnable-field.tsx";
import { NoticeRules } from "./notice-rules.tsx";
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
  const [args, setArgs] = useState<unknown>(stored?.extra_args);
  const [isBroken, setIsBroken] = useState(false);
  const [ignoresCanceled, setIgnoresCanceled] = useState(settings.error_handler?.muted_on_cancel ?? false);
  const [ignoresPersonal, setIgnoresPersonal] = useState(settings.error_handler?.muted_on_user_path ?? false);
  const save = useSettingSave<ChosenRunnable | undefined>({
    workspace,
    seen: settings,
    names: [name],
    save: (chosen) => {
      if (!chosen)
        return of === "error"
          ? call.workspaces.editErrorHandler({ workspace, body: {} })
          : call.workspaces.editSuccessHandler({ workspace, body: {} });
      const body = { path: `${chosen.kind}/${chosen.path}`, extra_args: (args ?? null) as Record<string, unknown> | null };
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
      canSave={!isBroken && runnable !== undefined}
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
      <JsonField label={text.args} help={text.argsHelp} isEmptyAllowed isObject value={args} onBroken={setIsBroken} onChange={setArgs} />
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
  const [rules, setRules] = useState<readonly FailureNoticeRule[]>(settings.failure_notices?.rules ?? []);
  const save = useSettingSave({
    workspace,
    seen: settings,
    names: ["failure_notices"],
    save: () => call.workspaces.editFailureNotices({ workspace, body: { rules: [...rules] } }),
  });
  return (
    <SettingForm isSaving={save.isPending} error={save.error} onSave={() => save.mutate()}>
      <NoticeRules rules={rules} onChange={setRules} />
    </SettingForm>
  );
}
