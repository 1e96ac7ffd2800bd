import { Button, Group, Radio, Table, Text } from "@mantine/core";
import { lazy, Suspense, useMemo, useState } from "react";
import { Note } from "../../../shared/note.tsx";
import { storedText } from "../../messages/objects/stored.ts";
import type { Choice, DifferingField } from "./compared-fields.ts";

// CodeMirror is large, and few conflicts have texts of several lines.
const DiffView = lazy(() => import("../code/diff-view.tsx"));

interface ConflictProps {
  fields: readonly DifferingField[];
  /** Saves the version with the chosen fields. */
  onChoose: (choices: Readonly<Record<string, Choice>>) => void;
  onUseTheirs: () => void;
}

const text = storedText.conflict;
const isLong = ({ mine, theirs }: DifferingField) => mine.includes("\n") || theirs.includes("\n");

/** Shows what two people have entered, and asks for each field which of both counts. */
export function Conflict({ fields, onChoose, onUseTheirs }: ConflictProps) {
  const [chosen, setChosen] = useState<Readonly<Record<string, Choice>>>({});
  const choices = Object.fromEntries(fields.map(({ label, suggested }) => [label, chosen[label] ?? suggested]));
  const all = (choice: Choice) => Object.fromEntries(fields.map(({ label }) => [label, choice]));
  const isMixed = new Set(Object.values(choices)).size > 1;
  return (
    <Note tone="bad" focus>
      <Text fw={600}>{text.title}</Text>
      <Text>{text.why}</Text>
      {fields.length === 0 ? (
        <Text>{text.same}</Text>
      ) : (
        <div className="table-scroll">
          <Table>
            <Table.Caption className="hidden">{text.caption}</Table.Caption>
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">{text.field}</Table.Th>
                <Table.Th scope="col">{text.mine}</Table.Th>
                <Table.Th scope="col">{text.theirs}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
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
                      <span className="stored-value">{field[choice] || storedText.nothing}</span>
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      {fields.filter(isLong).map((field) => (
        <Differences key={field.label} field={field} />
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

/** Compares two texts of several lines. */
function Differences({ field: { label, mine, theirs } }: { field: DifferingField }) {
  const [isOpen, setIsOpen] = useState(false);
  const before = useMemo(() => ({ label: `${label}: ${text.mine}`, text: mine }), [label, mine]);
  const after = useMemo(() => ({ label: `${label}: ${text.theirs}`, text: theirs }), [label, theirs]);
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{text.differences(label)}</summary>
      {isOpen && (
        <Suspense fallback={null}>
          <DiffView before={before} after={after} language="json" />
        </Suspense>
      )}
    </details>
  );
}
