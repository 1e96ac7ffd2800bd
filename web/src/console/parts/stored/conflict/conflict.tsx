import { Button, Group, Radio, Table, Text } from "@mantine/core";
import { useMemo, useState } from "react";
import { defined } from "../../../../../../contract/defined.ts";
import { Note } from "../../../../shared/note.tsx";
import { Ago } from "../../../../shared/time/ago.tsx";
import { loadOnDemand } from "../../../frame/load-on-demand.tsx";
import { storedText } from "../../../messages/objects/stored.ts";
import { listConflicts, mergeTexts } from "../../code/merge-texts.ts";
import { ListTable } from "../../list-table.tsx";
import type { Choice, DifferingField } from "../compared-fields.ts";
import type { LastChange } from "./last-change.ts";

// CodeMirror is large, and few conflicts have texts of several lines.
const MergeEditor = loadOnDemand(() => import("../../code/merge-editor.tsx"));

interface ConflictProps {
  /** The author and the time of the newer version. Absent: the service does not know them. */
  change?: LastChange | undefined;
  fields: readonly DifferingField[];
  /** Saves the version with the chosen fields. */
  onChoose: (choices: Readonly<Record<string, Choice>>) => void;
  onUseTheirs: () => void;
}

const text = storedText.conflict;
const mergedOf = (choice: Choice | undefined) => (typeof choice === "object" ? choice.merged : undefined);

/** Shows what two people have entered, and asks for each field which of both counts. */
export function Conflict({ change, fields, onChoose, onUseTheirs }: ConflictProps) {
  const [chosen, setChosen] = useState<Readonly<Record<string, Choice>>>({});
  const choices = Object.fromEntries(fields.map(({ label, suggested }) => [label, chosen[label] ?? suggested]));
  const all = (choice: Choice) => Object.fromEntries(fields.map(({ label }) => [label, choice]));
  const isMixed = new Set(Object.values(choices)).size > 1 || Object.values(choices).some((choice) => typeof choice === "object");
  return (
    <Note tone="bad" focus>
      <Text fw={600}>{text.title}</Text>
      {change && (
        <Text size="sm">
          {text.savedBy(change.by)} {change.at && <Ago at={change.at} focusable />}
        </Text>
      )}
      <Text>{text.why}</Text>
      {fields.length === 0 ? (
        <Text>{text.same}</Text>
      ) : (
        <ListTable caption={text.caption} columns={[text.field, text.mine, text.theirs]}>
          {fields.map((field) => (
            <Table.Tr key={field.label}>
              <Table.Th scope="row">{field.label}</Table.Th>
              {(["mine", "theirs"] as const).map((choice) => (
                <Table.Td key={choice}>
                  <Radio
                    name={`conflict ${field.label}`}
                    aria-label={text.choose(field.label, text[choice])}
                    checked={choices[field.label] === choice}
                    onChange={() => setChosen({ ...chosen, [field.label]: choice })}
                  />
                  <span className="stored-value stored-compared">{field[choice] || storedText.nothing}</span>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </ListTable>
      )}
      {fields
        .filter(({ accepts }) => accepts !== undefined)
        .map((field) => (
          <Merge
            key={field.label}
            field={field}
            chosen={mergedOf(choices[field.label])}
            onChoose={(merged) => setChosen({ ...chosen, [field.label]: { merged } })}
          />
        ))}
      <Group mt="xs">
        {isMixed && (
          <Button size="xs" color="blue.8" onClick={() => onChoose(choices)}>
            {text.useChoice}
          </Button>
        )}
        <Button size="xs" color="blue.8" variant={isMixed ? "default" : "filled"} onClick={() => onChoose(all("mine"))}>
          {text.useMine}
        </Button>
        <Button size="xs" variant="default" onClick={onUseTheirs}>
          {text.useTheirs}
        </Button>
      </Group>
    </Note>
  );
}

interface MergeProps {
  field: DifferingField;
  /** The merged text that was chosen. */
  chosen: string | undefined;
  onChoose: (merged: string) => void;
}

/** Merges two texts of several lines. The merged text begins with the changes that do not touch the same lines. */
function Merge({ field: { label, mine, theirs, base, accepts }, chosen, onChoose }: MergeProps) {
  const [isOpen, setIsOpen] = useState(false);
  const versions = useMemo(() => ({ mine, theirs, ...defined({ base }) }), [mine, theirs, base]);
  const [merged, setMerged] = useState(() => mergeTexts(versions));
  const isDecided = listConflicts(merged).length === 0;
  const canUse = isDecided && accepts?.(merged) === true;
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{text.merge(label)}</summary>
      {isOpen && (
        <>
          <MergeEditor versions={versions} value={merged} onChange={setMerged} language="json" />
          <Group mt="xs" gap="xs">
            <Button size="xs" variant="default" disabled={!canUse} onClick={() => onChoose(merged)}>
              {text.useMerged}
            </Button>
            <Text size="sm" role="status">
              {isDecided && !canUse ? text.mergedBroken : chosen === merged ? text.mergedChosen : ""}
            </Text>
          </Group>
        </>
      )}
    </details>
  );
}
