import { Button, Fieldset, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { formText as text } from "../../messages/form.ts";

interface RowsFieldProps<R> {
  label: string;
  help: string;
  rows: readonly R[];
  /** A new row. */
  blank: R;
  onChange: (rows: R[]) => void;
  /** Names a row for its button. */
  nameOf: (row: R) => string;
  /** The fields of a row. */
  children: (row: R, change: (changes: Partial<R>) => void) => ReactNode;
}

/** A list whose entries have the same fields. */
export function RowsField<R extends object>({ label, help, rows, blank, onChange, nameOf, children }: RowsFieldProps<R>) {
  return (
    <Fieldset legend={label}>
      <Text size="sm" c="dimmed" mb="xs">
        {help}
      </Text>
      <Stack gap="md">
        {rows.map((row, at) => {
          const change = (changes: Partial<R>) => onChange(rows.map((each, index) => (index === at ? { ...row, ...changes } : each)));
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other identity while its fields are typed
            <Stack key={at} gap="xs" role="group" aria-label={`${label}: ${nameOf(row) || at + 1}`}>
              {children(row, change)}
              <Group>
                <Button size="compact-xs" variant="default" onClick={() => onChange(rows.filter((_, index) => index !== at))}>
                  {text.removeRow(nameOf(row) || `${at + 1}`)}
                </Button>
              </Group>
            </Stack>
          );
        })}
        <Group>
          <Button size="xs" variant="default" aria-label={`${text.add}: ${label}`} onClick={() => onChange([...rows, blank])}>
            {text.add}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  );
}
