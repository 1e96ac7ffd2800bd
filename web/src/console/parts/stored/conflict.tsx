import { Button, Group, Table, Text } from "@mantine/core";
import { Note } from "../../../shared/note.tsx";
import { storedText } from "../../messages/objects/stored.ts";
import { type Described, differingFields } from "./differing-fields.ts";

interface ConflictProps {
  mine: Described;
  theirs: Described;
  onUseMine: () => void;
  onUseTheirs: () => void;
}

const text = storedText.conflict;

/** Shows what two people have entered, and asks which of both counts. */
export function Conflict({ mine, theirs, onUseMine, onUseTheirs }: ConflictProps) {
  const fields = differingFields(mine, theirs);
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
              {fields.map(({ name, mine: entered, theirs: stored }) => (
                <Table.Tr key={name}>
                  <Table.Th scope="row">{name}</Table.Th>
                  <Table.Td>
                    <span className="stored-value">{entered || storedText.nothing}</span>
                  </Table.Td>
                  <Table.Td>
                    <span className="stored-value">{stored || storedText.nothing}</span>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      <Group mt="xs">
        <Button size="xs" color="blue.8" onClick={onUseMine}>
          {text.useMine}
        </Button>
        <Button size="xs" variant="default" onClick={onUseTheirs}>
          {text.useTheirs}
        </Button>
      </Group>
    </Note>
  );
}
