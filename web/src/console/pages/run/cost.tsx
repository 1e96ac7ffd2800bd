import { Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../data/api.ts";
import { Panel } from "../../frame/panel.tsx";
import { TableScroll } from "../../frame/table-scroll.tsx";
import { costText } from "../../messages/cost.ts";

export const dollars = new Intl.NumberFormat(undefined, { style: "currency", currency: "USD", maximumSignificantDigits: 3 });
const numbers = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 4 });

/** The estimated cost of an ended run, by what it used. */
export function Cost({ workspace, id }: { workspace: string; id: string }) {
  const cost = useQuery({
    queryKey: [workspace, "cost", id],
    queryFn: ({ signal }) => call.jobs.getCost({ workspace, id, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <section aria-label={costText.title}>
      <Title order={2} size="h5" mt="md" mb="xs">
        {costText.title}
      </Title>
      <Panel query={cost}>
        {({ lines, total, children_total, region, prices_as_of }) => (
          <>
            <TableScroll label={costText.title}>
              <Table verticalSpacing={2}>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th scope="col">{costText.what}</Table.Th>
                    <Table.Th scope="col">{costText.quantity}</Table.Th>
                    <Table.Th scope="col">{costText.price}</Table.Th>
                    <Table.Th scope="col">{costText.amount}</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {lines.map(({ what, quantity, unit, unit_price, amount }) => (
                    <Table.Tr key={`${what} ${unit}`}>
                      <Table.Td>{what}</Table.Td>
                      <Table.Td>{costText.quantityOf(numbers.format(quantity), unit)}</Table.Td>
                      <Table.Td>{dollars.format(unit_price)}</Table.Td>
                      <Table.Td>{dollars.format(amount)}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </TableScroll>
            <Text>
              {costText.total(dollars.format(total))}
              {children_total !== undefined && ` ${costText.ofSteps(dollars.format(children_total))}`}
            </Text>
            <Text size="sm" c="dimmed">
              {costText.prices(region, prices_as_of)}
            </Text>
          </>
        )}
      </Panel>
    </section>
  );
}
