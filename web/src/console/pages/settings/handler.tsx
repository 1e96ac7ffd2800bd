import { Button, Checkbox, Text } from "@mantine/core";
import { useState } from "react";
import type { FailureNoticeRule } from "../../../../../contract/routes/workspaces/failure-notices.ts";
import { call } from "../../data/objects-api.ts";
import { workspaceSettingsText } from "../../messages/objects/workspace-settings.ts";
import { JsonField } from "../../parts/json-field/json-field.tsx";
import { SettingForm } from "../../parts/setting-form/setting-form.tsx";
import { type ComparedField, compared } from "../../parts/stored/compared-fields.ts";
import { RunnableField } from "../../parts/stored/runnable-field.tsx";
import { type HandlerValues, handlerFields, keepableRules, toHandler, toHandlerValues } from "./handler-values.ts";
import { NoticeRules } from "./notice-rules.tsx";
import { type SettingsProps, useSettingEditor } from "./settings.ts";

const text = workspaceSettingsText.handler;

interface HandlerProps extends SettingsProps {
  /** The handler of failed runs, or of those that succeed. */
  of: "error" | "success";
}

/** The script or the flow that is called after each run of the workspace. */
export function Handler({ workspace, stored, of }: HandlerProps) {
  const name = of === "error" ? "error_handler" : "success_handler";
  const [isBroken, setIsBroken] = useState(false);
  const editor = useSettingEditor<HandlerValues>({
    workspace,
    stored,
    form: name,
    toValues: (settings) => toHandlerValues(settings[name]),
    fields: handlerFields,
    // Arguments can contain secrets.
    keepable: ({ args: _, ...kept }) => kept,
    save: (values, headers) => {
      const { muted_on_cancel, muted_on_user_path, ...handler } = toHandler(values);
      const request = { workspace, headers };
      return of === "error"
        ? call.workspaces.editErrorHandler({
            ...request,
            body: { ...handler, ...(handler.path ? { muted_on_cancel, muted_on_user_path } : {}) },
          })
        : call.workspaces.editSuccessHandler({ ...request, body: handler });
    },
  });
  const { values, change } = editor;
  return (
    <SettingForm
      editor={editor}
      canSave={!isBroken && values.runnable !== undefined}
      actions={
        stored.settings[name] && (
          <Button variant="default" onClick={() => editor.save({ runnable: undefined })}>
            {text.remove}
          </Button>
        )
      }
    >
      <Text>{of === "error" ? text.errorWhy : text.successWhy}</Text>
      <RunnableField workspace={workspace} value={values.runnable} onChange={(runnable) => change({ runnable })} />
      <JsonField
        label={text.args}
        help={text.argsHelp}
        isEmptyAllowed
        isObject
        value={values.args}
        onBroken={setIsBroken}
        onChange={(args) => change({ args })}
      />
      {of === "error" && (
        <>
          <Checkbox
            label={text.ignoreCanceled}
            checked={values.ignoresCanceled}
            onChange={({ target }) => change({ ignoresCanceled: target.checked })}
          />
          <Checkbox
            label={text.ignorePersonal}
            checked={values.ignoresPersonal}
            onChange={({ target }) => change({ ignoresPersonal: target.checked })}
          />
        </>
      )}
    </SettingForm>
  );
}

interface NoticesValues {
  rules: readonly FailureNoticeRule[];
}
const noticeFields: readonly ComparedField<NoticesValues>[] = [compared(text.notices, "rules")];

/** Sets the receivers of notices about failures. */
export function FailureNoticesForm({ workspace, stored }: SettingsProps) {
  const editor = useSettingEditor<NoticesValues>({
    workspace,
    stored,
    form: "failure_notices",
    toValues: ({ failure_notices }) => ({ rules: failure_notices?.rules ?? [] }),
    fields: noticeFields,
    keepable: keepableRules,
    save: ({ rules }, headers) => call.workspaces.editFailureNotices({ workspace, headers, body: { rules: [...rules] } }),
  });
  return (
    <SettingForm editor={editor}>
      <NoticeRules rules={editor.values.rules} onChange={(rules) => editor.change({ rules })} />
    </SettingForm>
  );
}
