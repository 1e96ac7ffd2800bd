import { Button, Group, Stack } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { Failed } from "../../frame/panel.tsx";
import { frameText } from "../../messages/frame.ts";

interface SettingFormProps {
  isSaving: boolean;
  error: Error | null;
  canSave?: boolean;
  onSave: () => void;
  /** Further buttons. */
  actions?: ReactNode;
  children: ReactNode;
}

/** The form of settings that are saved together. */
export function SettingForm({ isSaving, error, canSave = true, onSave, actions, children }: SettingFormProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm" maw={640}>
        {children}
        {error && <Failed error={error} />}
        <Group>
          <Button type="submit" color="blue.8" loading={isSaving} disabled={!canSave}>
            {frameText.save}
          </Button>
          {actions}
        </Group>
      </Stack>
    </form>
  );
}
