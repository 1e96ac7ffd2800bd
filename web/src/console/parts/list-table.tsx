import { Table, type TableProps } from "@mantine/core";
import type { ReactNode } from "react";
import { TableScroll } from "../frame/table-scroll.tsx";

interface ListTableProps extends TableProps {
  /** The name of the table, for screen readers. */
  caption: string;
  columns: readonly string[];
  /** The rows. */
  children: ReactNode;
}

/** A table with the names of its columns, which scrolls sideways by itself. */
export const ListTable = ({ caption, columns, children, ...table }: ListTableProps) => (
  <TableScroll label={caption}>
    <Table {...table}>
      <Table.Caption className="hidden">{caption}</Table.Caption>
      <Table.Thead>
        <Table.Tr>
          {columns.map((column) => (
            <Table.Th key={column} scope="col">
              {column}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>{children}</Table.Tbody>
    </Table>
  </TableScroll>
);
