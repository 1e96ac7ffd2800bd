import { Checkbox, TextInput } from "@mantine/core";
import type { FailureNoticeRule } from "../../../../../contract/routes/workspaces/failure-notices.ts";
import { workspaceSettingsText } from "../../messages/objects/workspace-settings.ts";
import { LabelsField } from "../../parts/fields/labels-field.tsx";
import { RowsField } from "../../parts/fields/rows-field.tsx";

const text = workspaceSettingsText.handler;

interface NoticeRulesProps {
  rules: readonly FailureNoticeRule[];
  onChange: (rules: FailureNoticeRule[]) => void;
}

/** Returns a rule with another value of a field. An empty one is left out, because the service refuses it. */
function withField<K extends keyof FailureNoticeRule>(name: K, value: FailureNoticeRule[K] | undefined): Partial<FailureNoticeRule> {
  return { [name]: value };
}

/** The receivers of notices about failures, one rule for each path. */
export const NoticeRules = ({ rules, onChange }: NoticeRulesProps) => (
  <RowsField label={text.notices} help={text.noticesHelp} rows={rules} blank={{}} onChange={onChange} nameOf={({ path = "" }) => path}>
    {(rule, change) => (
      <>
        <TextInput
          label={text.noticePath}
          description={text.noticePathHelp}
          spellCheck={false}
          value={rule.path ?? ""}
          onChange={({ target }) => change(withField("path", target.value.trim() || undefined))}
        />
        <LabelsField
          label={text.noticeEmail}
          help={text.noticeEmailHelp}
          value={rule.email ?? []}
          onChange={(email) => change(withField("email", email.length > 0 ? email : undefined))}
        />
        <TextInput
          label={text.noticeWebhook}
          type="url"
          spellCheck={false}
          autoComplete="off"
          value={rule.webhook ?? ""}
          onChange={({ target }) => change(withField("webhook", target.value.trim() || undefined))}
        />
        <Checkbox
          label={text.noticeTopic}
          checked={rule.topic === true}
          onChange={({ target }) => change(withField("topic", target.checked || undefined))}
        />
        <Checkbox
          label={text.noticeRecovery}
          checked={rule.on_recovery === true}
          onChange={({ target }) => change(withField("on_recovery", target.checked || undefined))}
        />
      </>
    )}
  </RowsField>
);
