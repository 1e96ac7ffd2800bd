import { Button, Group, Modal, Select, Stack, Text, Title } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { scriptTemplates, templateKinds } from "../../../../../../contract/templates/script-templates.ts";
import { call } from "../../../data/objects-api.ts";
import { Failed } from "../../../frame/panel.tsx";
import { insertText as text } from "../../../messages/editor/script.ts";
import { callOf, findClientImport, type Insertion } from "../../../parts/code/client-calls.ts";
import { clientFunctions } from "../../../parts/code/client-functions.ts";
import { isTypescript } from "../../../parts/code/languages.ts";
import { type ExampleLanguage, readerOf, readingOf } from "../../../parts/stored/in-script/examples.ts";

interface InsertProps {
  workspace: string;
  language: string;
  onInsert: (template: string, findImport?: (text: string) => Insertion | undefined) => void;
  onReplace: (text: string) => void;
}

const exampleLanguages: Readonly<Record<string, ExampleLanguage>> = { python3: "python", go: "go", bash: "bash" };
const MOST_SHOWN = 100;
const TYPED_MS = 250;

/** Inserts a template, the statement that reads a stored value, or a call of our client. */
export function InsertMenu({ workspace, language, onInsert, onReplace }: InsertProps) {
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const templates: Partial<Record<string, string>> = scriptTemplates[language as keyof typeof scriptTemplates] ?? scriptTemplates.bun;
  const example = exampleLanguages[language] ?? "typescript";
  const functions = clientFunctions[isTypescript(language) ? "typescript" : language] ?? [];
  const insertWithImport = (template: string, imported?: string) =>
    end(() => onInsert(template, imported === undefined ? undefined : (code) => findClientImport(language, code, imported)));
  const end = (act: () => void) => {
    setIsOpen(false);
    act();
  };
  return (
    <>
      <Button ref={button} size="xs" variant="default" onClick={() => setIsOpen(true)}>
        {text.insert}
      </Button>
      <Modal
        opened={isOpen}
        title={text.insert}
        // An inserted text takes the focus into the code.
        returnFocus={false}
        onClose={() => {
          setIsOpen(false);
          button.current?.focus();
        }}
      >
        <Stack gap="md">
          <section aria-label={text.templates}>
            <Title order={3} size="h6">
              {text.templates}
            </Title>
            <Text size="sm" c="dimmed">
              {text.replaceWhy}
            </Text>
            <Group gap="xs" mt="xs">
              {templateKinds.map((kind) => {
                const template = templates[kind];
                return (
                  template !== undefined && (
                    <Button key={kind} size="xs" variant="default" onClick={() => end(() => onReplace(template))}>
                      {text.kinds[kind]}
                    </Button>
                  )
                );
              })}
            </Group>
          </section>
          <section aria-label={text.stored}>
            <Title order={3} size="h6">
              {text.stored}
            </Title>
            {(["variable", "resource"] as const).map((kind) => (
              <StoredChoice
                key={kind}
                workspace={workspace}
                kind={kind}
                onChosen={(path) => insertWithImport(readingOf(kind, path, example), readerOf(kind, example))}
              />
            ))}
          </section>
          {functions.length > 0 && (
            <section aria-label={text.client}>
              <Title order={3} size="h6">
                {text.client}
              </Title>
              <Select
                label={text.call}
                placeholder={text.chooseCall}
                nothingFoundMessage={text.noCall}
                searchable
                data={functions.map(({ name, signature }) => ({ value: name, label: signature }))}
                value={null}
                onChange={(name) => {
                  const called = functions.find((each) => each.name === name);
                  if (called) insertWithImport(callOf(language, called), called.name);
                }}
              />
            </section>
          )}
        </Stack>
      </Modal>
    </>
  );
}

interface StoredChoiceProps {
  workspace: string;
  kind: "variable" | "resource";
  onChosen: (path: string) => void;
}

/** Lists the paths that contain what is typed. The values stay in the service. */
function StoredChoice({ workspace, kind, onChosen }: StoredChoiceProps) {
  const [typed, setTyped] = useState("");
  const [sought] = useDebouncedValue(typed.trim(), TYPED_MS);
  const paths = useQuery({
    queryKey: [workspace, "paths to insert", kind, sought],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const query = { per_page: MOST_SHOWN, broad_filter: sought || undefined };
      const found = await (kind === "variable"
        ? call.variables.list({ workspace, query, signal })
        : call.resources.list({ workspace, query, signal }));
      return found.map(({ path }) => path);
    },
  });
  if (paths.error) return <Failed error={paths.error} onRetry={() => void paths.refetch()} />;
  return (
    <Select
      label={text[kind]}
      placeholder={text.choose(text[kind])}
      nothingFoundMessage={text.none}
      searchable
      // The service has filtered them.
      filter={({ options }) => options}
      data={paths.data ?? []}
      value={null}
      onSearchChange={setTyped}
      onChange={(path) => path && onChosen(path)}
    />
  );
}
