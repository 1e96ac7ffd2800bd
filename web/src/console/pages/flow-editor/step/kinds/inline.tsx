import { NativeSelect, Stack, Textarea } from "@mantine/core";
import { loadOnDemand } from "../../../../frame/load-on-demand.tsx";
import { stepText as text } from "../../../../messages/editor/step.ts";
import type { ModuleValue } from "../../document/flow-document.ts";
import { withField } from "../fields/fields.ts";

const CodeEditor = loadOnDemand(() => import("../../../../parts/code/code-editor.tsx"));

const LANGUAGES = [
  { value: "bun", label: "TypeScript (Bun)" },
  { value: "deno", label: "TypeScript (Deno)" },
  { value: "nativets", label: "TypeScript (native)" },
  { value: "python3", label: "Python" },
  { value: "go", label: "Go" },
  { value: "bash", label: "Bash" },
];

interface InlineProps {
  value: ModuleValue;
  onChange: (value: ModuleValue) => void;
  readOnly: boolean;
}

/** The code of a step, its language and its dependencies. */
export function Inline({ value, onChange, readOnly }: InlineProps) {
  const language = String(value["language"] ?? "");
  const data = LANGUAGES.some((option) => option.value === language) ? LANGUAGES : [{ value: language, label: language }, ...LANGUAGES];
  const { lock } = value;
  return (
    <Stack gap="sm">
      <NativeSelect
        label={text.language}
        data={data}
        value={language}
        // The dependencies of another language do not fit.
        onChange={({ target }) => onChange({ ...(withField(value, "lock", undefined) as ModuleValue), language: target.value })}
      />
      <div>
        <CodeEditor
          label={text.code}
          language={language}
          readOnly={readOnly}
          isScript
          value={String(value["content"] ?? "")}
          onChange={(content) => onChange({ ...value, content })}
        />
      </div>
      <details>
        <summary>{text.lock}</summary>
        <Textarea
          label={text.lock}
          description={text.lockHelp}
          autosize
          minRows={2}
          maxRows={12}
          spellCheck={false}
          classNames={{ input: "code-input" }}
          value={typeof lock === "string" ? lock : ""}
          onChange={({ target }) => onChange(withField(value, "lock", target.value === "" ? undefined : target.value) as ModuleValue)}
        />
      </details>
    </Stack>
  );
}
