import { Button, Group, NativeSelect } from "@mantine/core";
import { useState } from "react";
import { storedText } from "../../../messages/objects/stored.ts";
import { copyText } from "../../copy.ts";
import { Example } from "../example.tsx";
import { type ExampleLanguage, exampleLanguages, exampleOf } from "./examples.ts";

const languages = Object.entries(exampleLanguages).map(([value, label]) => ({ value, label }));

/** Shows the statement with which a script reads a stored value. */
export function UseInScript({ kind, path }: { kind: "variable" | "resource"; path: string }) {
  const [language, setLanguage] = useState<ExampleLanguage>("typescript");
  const code = exampleOf(kind, path, language);
  return (
    <details>
      <summary>{storedText.use}</summary>
      <NativeSelect
        size="xs"
        mt="xs"
        label={storedText.language}
        data={languages}
        value={language}
        onChange={({ target }) => setLanguage(target.value as ExampleLanguage)}
      />
      <Example label={storedText.use} text={code} />
      <Group gap="xs">
        <Button size="compact-sm" variant="default" onClick={() => void copyText(code)}>
          {storedText.copyCode}
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => void copyText(path)}>
          {storedText.copyPath}
        </Button>
      </Group>
    </details>
  );
}
