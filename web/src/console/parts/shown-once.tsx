import { Button, Group, Text, TextInput } from "@mantine/core";
import { useRef, useState } from "react";
import { frameText } from "../messages/frame.ts";

interface ShownOnceProps {
  label: string;
  description?: string;
  value: string;
}

/** Shows a secret value to copy. */
export function ShownOnce({ label, description, value }: ShownOnceProps) {
  const field = useRef<HTMLInputElement>(null);
  const [outcome, setOutcome] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setOutcome(frameText.copied);
    } catch {
      // The browser refuses to copy, or the page has no secure address.
      field.current?.select();
      setOutcome(frameText.copyByHand);
    }
  };
  return (
    <div>
      <Group align="flex-end" wrap="nowrap" gap="xs">
        <TextInput
          ref={field}
          className="grow"
          label={label}
          description={description}
          value={value}
          readOnly
          autoComplete="off"
          spellCheck={false}
          onFocus={({ target }) => target.select()}
        />
        <Button variant="default" onClick={() => void copy()}>
          {frameText.copy}
        </Button>
      </Group>
      <Text size="sm" mt={4} role="status">
        {outcome}
      </Text>
    </div>
  );
}
