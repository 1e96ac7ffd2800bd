import { Button, Group, NativeSelect, Stack, Text, Textarea } from "@mantine/core";
import { useState } from "react";
import type { Body } from "../../../../../../contract/client/operation.ts";
import { runsText } from "../../../messages/runs.ts";
import { useDraft } from "../../../parts/draft/use-draft.ts";
import { readJsonObject } from "../../../parts/run-form/json-object.ts";

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
  const read = readJsonObject(json);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if ("problem" in read) return;
        forgetJson();
        onStart({ version, ...(json.trim() ? { args: read.object as Bulk["args"] } : {}) });
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
          error={"problem" in read ? read.problem : undefined}
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
