import { Text } from "@mantine/core";
import { textOf } from "../../../../core/approvals/description-items.ts";

/** The maximum number of displayed rows. */
const MOST_ROWS = 200;

export function DataTable({ columns, rows }: { columns: string[]; rows: unknown[][] }) {
  const hidden = rows.length - MOST_ROWS;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll the table
    <section className="rich" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have one name
              <th key={index} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MOST_ROWS).map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no name
            <tr key={index}>
              {columns.map((_, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells are identified by their position
                <td key={column}>{textOf(row[column])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {hidden > 0 && <Text c="dimmed">and {hidden} more</Text>}
    </section>
  );
}
