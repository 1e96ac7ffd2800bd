import { Button, Group, Modal, NativeSelect, Stack, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { toRequest } from "../../../../../contract/client/request.ts";
import { basePath } from "../../../shared/base-path.ts";
import { call, operations } from "../../data/objects-api.ts";
import { loadOnDemand } from "../../frame/load-on-demand.tsx";
import { Failed } from "../../frame/panel.tsx";
import { routesText as text } from "../../messages/objects/routes.ts";
import { copyText } from "../../parts/copy.ts";
import { download } from "../../parts/download.ts";
import { LabelsField } from "../../parts/fields/labels-field.tsx";
import { quoteForShell } from "../../parts/quote-for-shell.ts";
import { Example } from "../../parts/stored/example.tsx";
import { type DocumentChoice, everything, toDocumentRequest } from "./openapi.ts";

// The parser of YAML is loaded with the first document.
const DocumentCheck = loadOnDemand(() => import("./document-check.tsx"), null);

const optionsOf = (labels: Readonly<Record<string, string>>) => Object.entries(labels).map(([value, label]) => ({ value, label }));
const types = { yaml: "application/yaml", json: "application/json" } as const;

/** Makes an OpenAPI document of the HTTP routes and webhooks that the user may read. */
export function OpenapiDialog({ workspace, onClose }: { workspace: string; onClose: () => void }) {
  const [choice, setChoice] = useState<DocumentChoice>(everything);
  const change = (changes: Partial<DocumentChoice>) => {
    setChoice({ ...choice, ...changes });
    generate.reset();
  };
  const generate = useMutation({ mutationFn: () => call.openapi.generate({ workspace, body: toDocumentRequest(choice) }) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    generate.mutate();
  };
  const curl = () => {
    const { address } = toRequest(operations, "openapi.generate", { workspace, body: toDocumentRequest(choice) });
    const body = quoteForShell(JSON.stringify(toDocumentRequest(choice)));
    const url = quoteForShell(`${location.origin}${basePath}${address}`);
    return `curl -sS -X POST -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d ${body} ${url}`;
  };
  const field = (name: "folder" | "path" | "route", label: string) => (
    <TextInput
      label={label}
      description={text.filterHelp}
      maxLength={1000}
      spellCheck={false}
      value={choice[name]}
      onChange={({ target }) => change({ [name]: target.value })}
    />
  );
  const { data: written } = generate;
  return (
    <Modal opened onClose={onClose} title={text.openapi} size="xl" closeOnClickOutside={false}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Group grow align="flex-start">
            <NativeSelect
              label={text.format}
              data={optionsOf(text.formats)}
              value={choice.format}
              onChange={({ target }) => change({ format: target.value as DocumentChoice["format"] })}
            />
            <NativeSelect
              label={text.kind}
              data={optionsOf(text.contents)}
              value={choice.contents}
              onChange={({ target }) => change({ contents: target.value as DocumentChoice["contents"] })}
            />
          </Group>
          {field("folder", text.filterFolder)}
          {field("path", text.filterPath)}
          {choice.contents !== "webhooks" && field("route", text.filterRoute)}
          <LabelsField label={text.filterTags} help={text.filterTagsHelp} value={choice.tags} onChange={(tags) => change({ tags })} />
          {generate.error && <Failed error={generate.error} guide="openapi" />}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => void copyText(curl())}>
              {text.copyCurl}
            </Button>
            <Button type="submit" color="blue.8" loading={generate.isPending}>
              {text.generate}
            </Button>
          </Group>
          {written !== undefined && (
            <div>
              <Group gap="xs">
                <Button
                  size="compact-sm"
                  variant="default"
                  onClick={() => download(`openapi.${choice.format}`, written, types[choice.format])}
                >
                  {text.download}
                </Button>
                <Button size="compact-sm" variant="default" onClick={() => void copyText(written)}>
                  {text.copy}
                </Button>
              </Group>
              <DocumentCheck document={written} />
              <Example label={text.document} text={written} />
            </div>
          )}
        </Stack>
      </form>
    </Modal>
  );
}
