import { Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { DeliveryDetailsJson } from "../../../../../../contract/routes/events/deliveries.ts";
import { Fact } from "../../../../shared/fact.tsx";
import { Ago } from "../../../../shared/time/ago.tsx";
import { durationText } from "../../../../shared/time/time.ts";
import { When } from "../../../../shared/time/when.tsx";
import { Panel } from "../../../frame/panel.tsx";
import { deliveriesText } from "../../../messages/webhooks.ts";
import type { WebhookSource } from "../source.ts";
import { deliveriesKey } from "../use-webhooks.ts";
import { answerText } from "./pages.ts";
import { DeliveryState } from "./state.tsx";

interface DeliveryProps {
  source: WebhookSource;
  id: string;
}

/** Shows a delivery with its attempts, its body and its headers. */
export function Delivery({ source, id }: DeliveryProps) {
  const delivery = useQuery({
    queryKey: [...deliveriesKey(source), "one", id],
    queryFn: ({ signal }) => source.getDelivery(id, signal),
  });
  return <Panel query={delivery}>{(data) => <Details delivery={data} />}</Panel>;
}

function Details({ delivery }: { delivery: DeliveryDetailsJson }) {
  const { columns } = deliveriesText;
  return (
    <Stack>
      <dl className="facts">
        <Fact name={deliveriesText.id}>{delivery.id}</Fact>
        <Fact name={columns.event}>{delivery.type}</Fact>
        {delivery.path && <Fact name={deliveriesText.path}>{delivery.path}</Fact>}
        <Fact name={columns.state}>
          <DeliveryState state={delivery.state} />
        </Fact>
        <Fact name={columns.at}>
          <Ago at={delivery.created_at} focusable />
        </Fact>
        {delivery.next_attempt_at && (
          <Fact name={deliveriesText.nextAttempt}>
            <When at={delivery.next_attempt_at} />
          </Fact>
        )}
      </dl>
      <section aria-label={deliveriesText.attempts}>
        <Title order={3} size="h6" mb={4}>
          {deliveriesText.attempts}
        </Title>
        {delivery.attempt_log.length === 0 ? <Text c="dimmed">{deliveriesText.noAttempt}</Text> : <Attempts delivery={delivery} />}
      </section>
      <Pre title={deliveriesText.body} text={delivery.body} />
      <Pre
        title={deliveriesText.headers}
        text={Object.entries(delivery.headers)
          .map(([name, value]) => `${name}: ${value}`)
          .join("\n")}
      />
    </Stack>
  );
}

function Attempts({ delivery }: { delivery: DeliveryDetailsJson }) {
  const { attemptColumns } = deliveriesText;
  return (
    <Table verticalSpacing={4}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{attemptColumns.at}</Table.Th>
          <Table.Th scope="col">{attemptColumns.answer}</Table.Th>
          <Table.Th scope="col">{attemptColumns.took}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {delivery.attempt_log.map(({ at, status, error, milliseconds }) => (
          <Table.Tr key={at}>
            <Table.Td>
              <When at={at} />
            </Table.Td>
            <Table.Td>{answerText({ status, error })}</Table.Td>
            <Table.Td>{durationText(milliseconds)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Pre({ title, text }: { title: string; text: string }) {
  return (
    <section aria-label={title}>
      <Title order={3} size="h6" mb={4}>
        {title}
      </Title>
      <pre className="wrapped">{text}</pre>
    </section>
  );
}
