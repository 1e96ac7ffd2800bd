import { Button, Group, Table, UnstyledButton } from "@mantine/core";
import { useMemo, useState } from "react";
import { previewOf, shorten, showDirections } from "../../../shared/preview.ts";
import { TableScroll } from "../../frame/table-scroll.tsx";
import { resultText } from "../../messages/result.ts";
import { download } from "../download.ts";
import { toCsv } from "./csv.ts";
import { type Order, sortRows } from "./sort.ts";

const SHOWN_AT_ONCE = 100;
const SHOWN_CHARS = 500;

interface TableProps {
  columns: string[];
  rows: unknown[][];
  /** The name of the file that a download creates. */
  name: string;
}

/** A result as a table, which can be sorted and saved as CSV. */
export function ResultTable({ columns, rows, name }: TableProps) {
  const [order, setOrder] = useState<Order>();
  const [most, setMost] = useState(SHOWN_AT_ONCE);
  const sorted = useMemo(() => sortRows(rows, order), [rows, order]);
  const sortBy = (column: number) => setOrder({ column, isDescending: order?.column === column && !order.isDescending });
  return (
    <div>
      <TableScroll label={resultText.table}>
        <Table className="result-table" verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              {columns.map((column, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have one name
                <Table.Th key={index} scope="col" aria-sort={sortOf(order, index)}>
                  <UnstyledButton className="sort" onClick={() => sortBy(index)}>
                    {shorten(column, SHOWN_CHARS)}
                  </UnstyledButton>
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sorted.slice(0, most).map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no name
              <Table.Tr key={index}>
                {columns.map((_, column) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: cells are identified by their position
                  <Table.Td key={column}>{showDirections(previewOf(row[column], SHOWN_CHARS))}</Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </TableScroll>
      <Group gap="xs" mt="xs">
        {sorted.length > most && (
          <Button size="xs" variant="default" onClick={() => setMost(most + SHOWN_AT_ONCE)}>
            {resultText.more(sorted.length - most)}
          </Button>
        )}
        <Button size="xs" variant="default" onClick={() => download(`${name}.csv`, toCsv(columns, sorted), "text/csv")}>
          {resultText.downloadCsv}
        </Button>
      </Group>
    </div>
  );
}

function sortOf(order: Order | undefined, column: number): "ascending" | "descending" | undefined {
  if (order?.column !== column) return undefined;
  return order.isDescending ? "descending" : "ascending";
}
