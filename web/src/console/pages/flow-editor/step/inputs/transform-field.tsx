import { Group, SegmentedControl, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { stepText as text } from "../../../../messages/editor/step.ts";
import { useStepContext } from "../context.ts";
import { ExpressionField } from "./expression-field.tsx";
import { modeOf, switchMode, type Transform } from "./transforms.ts";

interface TransformFieldProps {
  name: string;
  label: string;
  help?: string | undefined;
  value: Transform | undefined;
  onChange: (value: Transform) => void;
  /** The field of a constant. */
  constant: (value: unknown, onChange: (value: unknown) => void) => ReactNode;
  /** Further actions. */
  children?: ReactNode;
}

/** A constant or an expression. Switching keeps the other one. */
export function TransformField({ name, label, help, value, onChange, constant, children }: TransformFieldProps) {
  const { key } = useStepContext();
  const mode = modeOf(value);
  return (
    <Stack gap={4} role="group" aria-label={label} className="step-input">
      <Group gap="xs">
        <SegmentedControl
          size="xs"
          aria-label={text.modeOf(label)}
          data={[
            { value: "static", label: text.constant },
            { value: "javascript", label: text.expression },
          ]}
          value={mode}
          onChange={(next) => onChange(switchMode(`${key} ${name}`, value, next === "javascript" ? "javascript" : "static"))}
        />
        {children}
      </Group>
      {value?.type === "ai" && <Text size="sm">{text.ai}</Text>}
      {mode === "javascript" ? (
        <ExpressionField
          label={label}
          help={help}
          value={String(value?.["expr"] ?? "")}
          onChange={(expr) => onChange({ ...value, type: "javascript", expr })}
        />
      ) : (
        constant(value?.["value"], (changed) => onChange({ ...value, type: "static", value: changed }))
      )}
    </Stack>
  );
}
