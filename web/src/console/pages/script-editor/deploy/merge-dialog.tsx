import { Button, Group, Modal, Radio, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { loadOnDemand } from "../../../frame/load-on-demand.tsx";
import { Loading } from "../../../frame/panel.tsx";
import { settingsText, deployText as text } from "../../../messages/editor/script.ts";
import { listConflicts, mergeTexts } from "../../../parts/code/merge-texts.ts";
import { type AuthoredField, type EditedScript, listBothChanged } from "../script.ts";
import type { Newer } from "./use-deploy.ts";

const MergeEditor = loadOnDemand(() => import("../../../parts/code/merge-editor.tsx"), <Loading label={text.loadingMerge} />);

interface MergeDialogProps {
  newer: Newer;
  mine: EditedScript;
  /** `chosenTheirs`: the fields that both have changed, and that remain theirs. */
  onMerged: (content: string, chosenTheirs: ReadonlySet<AuthoredField>) => void;
  onClose: () => void;
}

/** Shows the newer version of another person, and merges it with this one. */
export function MergeDialog({ newer: { base, theirs }, mine, onMerged, onClose }: MergeDialogProps) {
  const versions = { base: base.content, theirs: theirs.content, mine: mine.content };
  const [merged, setMerged] = useState(() => mergeTexts(versions));
  const [chosenTheirs, setChosenTheirs] = useState<ReadonlySet<AuthoredField>>(new Set());
  const isDecided = listConflicts(merged).length === 0;
  return (
    <Modal opened onClose={onClose} title={text.newerTitle} size="90%" closeOnEscape={false}>
      <Stack>
        <Text>{text.newerWhy}</Text>
        <MergeEditor versions={versions} value={merged} onChange={setMerged} language={mine.language} />
        {listBothChanged(base, theirs, mine).map((name) => (
          <Radio.Group
            key={name}
            label={text.bothChanged(nameOf(name))}
            value={chosenTheirs.has(name) ? "theirs" : "mine"}
            onChange={(choice) => {
              const others = [...chosenTheirs].filter((other) => other !== name);
              setChosenTheirs(new Set(choice === "theirs" ? [...others, name] : others));
            }}
          >
            <Stack gap="xs" mt="xs">
              <Radio value="mine" label={text.yours(describe(mine[name]))} />
              <Radio value="theirs" label={text.theirs(describe(theirs[name]))} />
            </Stack>
          </Radio.Group>
        ))}
        <Group justify="flex-end">
          {!isDecided && <Text size="sm">{text.mergeFirst}</Text>}
          <Button variant="default" onClick={onClose}>
            {text.cancel}
          </Button>
          <Button disabled={!isDecided} onClick={() => onMerged(merged, chosenTheirs)}>
            {text.merge}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

const settingNames: Readonly<Record<string, string>> = settingsText.names;
const nameOf = (field: AuthoredField): string => settingNames[field] ?? text.fields[field] ?? field;

/** The beginning of a value. */
const describe = (value: unknown): string =>
  value === undefined || value === null || value === ""
    ? text.nothing
    : (typeof value === "string" ? value : JSON.stringify(value)).slice(0, 300);
