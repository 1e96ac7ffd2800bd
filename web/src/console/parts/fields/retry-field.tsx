import { Group, NativeSelect, Stack, TextInput } from "@mantine/core";
import { storedText } from "../../messages/objects/stored.ts";
import { JsonField } from "../json-field/json-field.tsx";
import { type RetryChoice, type StoredRetry, toRetryChoice, withRetryChoice } from "./retry.ts";

const text = storedText.retry;
const pauses = Object.entries(text.pauses).map(([value, label]) => ({ value, label }));

interface RetryFieldProps {
  value: StoredRetry | null | undefined;
  onChange: (retry: StoredRetry | null) => void;
}

/** Chooses the number of retries of a failed script, and their pauses. Retries with both kinds of pauses are JSON. */
export function RetryField({ value, onChange }: RetryFieldProps) {
  const choice = toRetryChoice(value);
  if (!choice)
    return <JsonField label={text.title} isObject value={value} onChange={(changed) => onChange(changed as StoredRetry | null)} />;
  const change = (changes: Partial<RetryChoice>) => onChange(withRetryChoice(value, { ...choice, ...changes }));
  const number = (name: "attempts" | "seconds" | "multiplier", min: number) => (
    <TextInput
      type="number"
      min={min}
      step={name === "multiplier" ? "any" : 1}
      label={text[name]}
      value={choice[name]}
      onChange={({ target }) => target.value !== "" && change({ [name]: Number(target.value) })}
    />
  );
  return (
    <Stack gap="xs">
      <NativeSelect
        label={text.title}
        description={text.help}
        data={pauses}
        value={choice.pauses}
        onChange={({ target }) => change({ pauses: target.value as RetryChoice["pauses"] })}
      />
      {choice.pauses !== "none" && (
        <Group grow align="flex-start">
          {number("attempts", 1)}
          {number("seconds", 0)}
          {choice.pauses === "exponential" && number("multiplier", 0)}
        </Group>
      )}
    </Stack>
  );
}
