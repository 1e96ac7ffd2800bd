import { Stack, Text, Textarea } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { stepText as text } from "../../../../messages/editor/step.ts";
import { useStepContext } from "../context.ts";
import { ValuePicker } from "./value-picker.tsx";
import { insertInto } from "./values.ts";

const TYPED_MS = 200;

interface ExpressionFieldProps {
  label: string;
  help?: string | undefined;
  value: string;
  onChange: (expression: string) => void;
}

/** An expression of a flow, checked while it is typed. It is never run here. */
export function ExpressionField({ label, help, value, onChange }: ExpressionFieldProps) {
  const { before, id } = useStepContext();
  const input = useRef<HTMLTextAreaElement>(null);
  const [checked] = useDebouncedValue(value, TYPED_MS);
  // The parser is loaded with the first expression.
  const check = useQuery({
    queryKey: ["expression", checked, before, id],
    queryFn: async () => (await import("./check-expression.ts")).checkExpression(checked, [...before, id]),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  }).data;
  // Before the first focus, a text area reports the cursor at its start, although no person has put it there.
  const hasCursor = useRef(false);
  const insert = (expression: string) => {
    const { selectionStart = 0, selectionEnd = 0 } = input.current ?? {};
    onChange(insertInto(value, expression, hasCursor.current ? [selectionStart, selectionEnd] : undefined));
    input.current?.focus();
  };
  return (
    <Stack gap={4}>
      <Textarea
        ref={input}
        onFocus={() => {
          hasCursor.current = true;
        }}
        label={label}
        description={help}
        error={checked === value && check?.problem}
        autosize
        minRows={1}
        maxRows={14}
        spellCheck={false}
        autoComplete="off"
        classNames={{ input: "code-input" }}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      {checked === value && check?.notice && (
        <Text size="sm" role="status">
          {check.notice}
        </Text>
      )}
      <ValuePicker label={text.insertInto(label)} onPick={insert} />
    </Stack>
  );
}
