import { Button, Group, Table } from "@mantine/core";
import type { DeliveryJson } from "../../../../../../contract/routes/events/deliveries.ts";
import { Ago } from "../../../../shared/time/ago.tsx";
import { deliveriesText } from "../../../messages/webhooks.ts";
import { ListTable } from "../../list-table.tsx";
import { answerText } from "./pages.ts";
import { DeliveryState } from "./state.tsx";

interface DeliveryTableProps {
  deliveries: readonly DeliveryJson[];
  onShow: (id: string) => void;
  onReplay: (id: string) => void;
}

export function DeliveryTable({ deliveries, onShow, onReplay }: DeliveryTableProps) {
  return (
    <ListTable caption={deliveriesText.caption} columns={Object.values(deliveriesText.columns)} verticalSpacing={4}>
      {deliveries.map(({ id, created_at, type, path, endpoint, state, attempts, status, error }) => (
        <Table.Tr key={id}>
          <Table.Td>
            <Ago at={created_at} />
          </Table.Td>
          <Table.Td>
            {type}
            {path && <div className="path wide-cell">{path}</div>}
          </Table.Td>
          <Table.Td>{endpoint}</Table.Td>
          <Table.Td>
            <DeliveryState state={state} />
          </Table.Td>
          <Table.Td>{attempts}</Table.Td>
          <Table.Td>
            <div className={error && "wide-cell"}>{answerText({ status, error })}</div>
          </Table.Td>
          <Table.Td>
            <Group gap={4} wrap="nowrap">
              <Button size="xs" variant="default" onClick={() => onShow(id)}>
                {deliveriesText.show}
              </Button>
              <Button size="xs" variant="default" onClick={() => onReplay(id)}>
                {deliveriesText.replay}
              </Button>
            </Group>
          </Table.Td>
        </Table.Tr>
      ))}
    </ListTable>
  );
}
