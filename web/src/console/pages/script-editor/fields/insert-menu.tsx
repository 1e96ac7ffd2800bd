import { Button, Group, Modal, Select, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { scriptTemplates, templateKinds } from "../../../../../../contract/templates/script-templates.ts";
import { call } from "../../../data/objects-api.ts";
import { Failed } from "../../../frame/panel.tsx";
import { insertText as text } from "../../../messages/editor/script.ts";
import { type ExampleLanguage, exampleOf } from "../../../parts/stored/in-script/examples.ts";

interface InsertProps {
  workspace: string;
  language: string;
  onInsert: (text: string) => void;
  onReplace: (text: string) => void;
}

const exampleLanguages: Readonly<Record<string, ExampleLanguage>> = { python3: "python", go: "go", bash: "bash" };
const MOST_SHOWN = 100;

/** Inserts a template, or the statement that reads a stored value. */
export function InsertMenu({ workspace, language, onInsert, onReplace }: InsertProps) {
  const [isOpen, setIsOpen] = useState(false);
  const templates: Partial<Record<string, string>> = scriptTemplates[language as keyof typeof scriptTemplates] ?? scriptTemplates.bun;
  const end = (act: () => void) => {
    setIsOpen(false);
    act();
  };
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setIsOpen(true)}>
        {text.insert}
      </Button>
      <Modal opened={isOpen} onClose={() => setIsOpen(false)} title={text.insert}>
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
                onChosen={(path) => end(() => onInsert(exampleOf(kind, path, exampleLanguages[language] ?? "typescript")))}
              />
            ))}
          </section>
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

/** Lists paths. The values stay in the service. */
function StoredChoice({ workspace, kind, onChosen }: StoredChoiceProps) {
  const paths = useQuery({
    queryKey: [workspace, "paths to insert", kind],
    queryFn: async ({ signal }) => {
      const query = { per_page: MOST_SHOWN };
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
      data={paths.data ?? []}
      value={null}
      onChange={(path) => path && onChosen(path)}
    />
  );
}
