import { Table, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call } from "../../data/objects-api.ts";
import { Failed } from "../../frame/panel.tsx";
import { TableScroll } from "../../frame/table-scroll.tsx";
import { schedulesText as text } from "../../messages/objects/schedules.ts";
import { clockChanges, ownZone } from "./schedule.ts";

const TYPED_MS = 400;
const MOST_SHOWN = 10;

const timeIn = (zone: string) => new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium", timeZone: zone });

interface NextRunsProps {
  cron: string;
  zone: string;
  version: "v1" | "v2" | null | undefined;
}

/** The next times of an expression, in its own zone and in that of the reader. */
export function NextRuns({ cron, zone, version }: NextRunsProps) {
  const [asked] = useDebouncedValue(`${zone} ${cron}`, TYPED_MS);
  const times = useQuery({
    queryKey: ["next runs", asked, version],
    // The form does not jump while the next times are read.
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => call.schedules.preview({ body: { schedule: cron, timezone: zone, cron_version: version }, signal }),
  });
  if (times.error) return <Failed error={times.error} />;
  const shown = (times.data ?? []).slice(0, MOST_SHOWN);
  if (times.data && shown.length === 0) return <Text>{text.noNext}</Text>;
  const changes = clockChanges(shown, zone, Date.now());
  const isElsewhere = zone !== ownZone;
  return (
    <TableScroll label={text.next}>
      <Table verticalSpacing={2}>
        <Table.Caption className="hidden">{text.next}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{text.nextIn(zone)}</Table.Th>
            {isElsewhere && <Table.Th scope="col">{text.nextHere}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map((time, at) => (
            <Table.Tr key={time}>
              <Table.Td>
                {timeIn(zone).format(new Date(time))}
                {changes[at] && (
                  <Text size="xs" fw={600}>
                    {text.clockChange}
                  </Text>
                )}
              </Table.Td>
              {isElsewhere && <Table.Td>{timeIn(ownZone).format(new Date(time))}</Table.Td>}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </TableScroll>
  );
}
