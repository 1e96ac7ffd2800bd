import { Button, Group, Modal, NativeSelect, Text, Title } from "@mantine/core";
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { WebhookJson } from "../../../../../../contract/routes/events/webhooks.ts";
import type { Search } from "../../../data/address.ts";
import { notifications } from "../../../frame/notifications.tsx";
import { Empty, Failed, Panel } from "../../../frame/panel.tsx";
import { deliveriesText } from "../../../messages/webhooks.ts";
import { fromLocalTime } from "../../local-time.ts";
import { TextFilter } from "../../text-filter.tsx";
import type { WebhookSource } from "../source.ts";
import { deliveriesKey, useIsWatched, useWatch } from "../use-webhooks.ts";
import { Delivery } from "./delivery.tsx";
import { type Cursor, filterNames, nextCursor, PER_PAGE, toDeliveryQuery } from "./pages.ts";
import { ReplayRange } from "./replay-range.tsx";
import { DeliveryTable } from "./table.tsx";

const FIRST: Cursor = { page: 1 };
const WATCHED_EVERY_MS = 2_000;

interface DeliveriesProps {
  source: WebhookSource;
  endpoints: readonly WebhookJson[];
}

/** The log of the deliveries: filters them, shows them and sends them again. */
export function Deliveries({ source, endpoints }: DeliveriesProps) {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const watch = useWatch(source);
  const isWatched = useIsWatched(source);
  const [isChoosingRange, setIsChoosingRange] = useState(false);
  const query = toDeliveryQuery(search, source.types);
  const pages = useInfiniteQuery({
    queryKey: [...deliveriesKey(source), query],
    queryFn: async ({ pageParam, signal }) => {
      const { value, headers } = await source.listDeliveries({ ...query, ...pageParam, per_page: PER_PAGE }, signal);
      return { deliveries: value, next: nextCursor(value.length, headers.get("x-svc-before"), pageParam) };
    },
    initialPageParam: FIRST,
    getNextPageParam: ({ next }) => next,
    // A first attempt ends within seconds.
    refetchInterval: ({ state }) =>
      isWatched() || state.data?.pages.some(({ deliveries }) => deliveries.some((delivery) => delivery.state === "pending"))
        ? WATCHED_EVERY_MS
        : false,
  });
  const replay = useMutation({
    mutationFn: (id: string) => source.replay({ ids: [id] }),
    onSuccess: async () => {
      notifications.show({ message: deliveriesText.replayed });
      await watch();
    },
  });
  const change = (changes: Search) => void navigate({ to: ".", search: { ...search, ...changes }, replace: true });
  const isFiltered = filterNames.some((name) => search[name]);
  const clear = () => change(Object.fromEntries(filterNames.map((name) => [name, undefined])));
  return (
    <section aria-label={deliveriesText.title}>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          {deliveriesText.title}
        </Title>
        <Group gap="xs">
          <Button size="xs" variant="default" loading={pages.isRefetching} onClick={() => void pages.refetch()}>
            {deliveriesText.refresh}
          </Button>
          <Button size="xs" variant="default" disabled={endpoints.length === 0} onClick={() => setIsChoosingRange(true)}>
            {deliveriesText.range}
          </Button>
        </Group>
      </Group>
      <Group role="search" aria-label={deliveriesText.filters} gap="xs" align="flex-end" mb="xs">
        <Filter
          label={deliveriesText.event}
          value={search["event"]}
          options={source.types.map((type) => ({ value: type, label: type }))}
          onChange={(event) => change({ event })}
        />
        <Filter
          label={deliveriesText.state}
          value={search["state"]}
          options={Object.entries(deliveriesText.states).map(([value, label]) => ({ value, label }))}
          onChange={(state) => change({ state })}
        />
        <Filter
          label={deliveriesText.endpoint}
          value={search["endpoint"]}
          options={endpoints.map(({ id }) => ({ value: id, label: id }))}
          onChange={(endpoint) => change({ endpoint })}
        />
        <TextFilter label={deliveriesText.path} value={search["path"]} onTyped={(path) => change({ path: path || undefined })} />
        <TextFilter
          label={deliveriesText.from}
          type="datetime-local"
          value={search["from"]}
          onTyped={(text) => change({ from: fromLocalTime(text) })}
        />
        <TextFilter
          label={deliveriesText.to}
          type="datetime-local"
          value={search["to"]}
          onTyped={(text) => change({ to: fromLocalTime(text) })}
        />
        {isFiltered && (
          <Button size="xs" variant="default" onClick={clear}>
            {deliveriesText.clear}
          </Button>
        )}
      </Group>
      {replay.error && <Failed error={replay.error} />}
      <Panel
        query={pages}
        guide="events#log-and-replay"
        isEmpty={(data) => data.pages.every(({ deliveries }) => deliveries.length === 0) && !pages.hasNextPage}
        empty={
          <Empty title={isFiltered ? deliveriesText.noMatch : deliveriesText.empty} guide="events#log-and-replay">
            <Text>{isFiltered ? deliveriesText.noMatchWhy : deliveriesText.emptyWhy}</Text>
          </Empty>
        }
      >
        {(data) => (
          <DeliveryTable
            deliveries={data.pages.flatMap(({ deliveries }) => deliveries)}
            onShow={(id) => change({ delivery: id })}
            onReplay={(id) => replay.mutate(id)}
          />
        )}
      </Panel>
      {pages.hasNextPage && (
        <Button mt="sm" size="xs" variant="default" loading={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          {deliveriesText.more}
        </Button>
      )}
      <Modal
        opened={search["delivery"] !== undefined}
        onClose={() => change({ delivery: undefined })}
        title={deliveriesText.delivery}
        size="xl"
      >
        {search["delivery"] && <Delivery source={source} id={search["delivery"]} />}
      </Modal>
      <Modal opened={isChoosingRange} onClose={() => setIsChoosingRange(false)} title={deliveriesText.range}>
        <ReplayRange source={source} endpoints={endpoints} onClose={() => setIsChoosingRange(false)} />
      </Modal>
    </section>
  );
}

interface FilterProps {
  label: string;
  value: string | undefined;
  options: { value: string; label: string }[];
  onChange: (value: string | undefined) => void;
}

function Filter({ label, value = "", options, onChange }: FilterProps) {
  return (
    <NativeSelect
      size="xs"
      label={label}
      value={value}
      data={[{ value: "", label: deliveriesText.any }, ...options]}
      onChange={({ target }) => onChange(target.value || undefined)}
    />
  );
}
