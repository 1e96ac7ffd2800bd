import { Button, Group, NativeSelect, Stack, Text, Textarea } from "@mantine/core";
import { useState } from "react";
import type { Body } from "../../../../../../contract/client/operation.ts";
import { defined } from "../../../../../../contract/defined.ts";
import { isJsonObject } from "../../../../../../contract/json/json-object.ts";
import { runsText } from "../../../messages/runs.ts";
import { useDraft } from "../../../parts/draft/use-draft.ts";

type Bulk = Body<"jobs.bulk.start">;

const text = runsText.bulk;

interface AgainFormProps {
  isPending: boolean;
  onCancel: () => void;
  onStart: (options: Pick<Bulk, "version" | "args">) => void;
}

/** The version and the arguments with which runs start again. */
export default function AgainForm({ isPending, onCancel, onStart }: AgainFormProps) {
  const [version, setVersion] = useState<"same" | "latest">("same");
  const [json, setJson, forgetJson] = useDraft("arguments to replace");
  const args = parseArgs(json);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (args === "invalid") return;
        forgetJson();
        onStart({ version, ...defined({ args }) });
      }}
    >
      <Stack>
        <Text>{text.why}</Text>
        <NativeSelect
          label={text.version}
          value={version}
          data={(["same", "latest"] as const).map((value) => ({ value, label: text.versions[value] }))}
          onChange={({ target }) => setVersion(target.value === "latest" ? "latest" : "same")}
        />
        <Textarea
          label={text.args}
          description={text.argsHelp}
          error={args === "invalid" ? text.notJson : undefined}
          rows={3}
          value={json}
          onChange={({ target }) => setJson(target.value)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {text.cancel}
          </Button>
          <Button type="submit" loading={isPending}>
            {text.start}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Reads the arguments to replace. Returns `undefined` without a text. */
function parseArgs(json: string): Bulk["args"] | "invalid" {
  if (json.trim() === "") return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return isJsonObject(value) ? (value as Bulk["args"]) : "invalid";
  } catch {
    return "invalid";
  }
}
