import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { notifications } from "../../frame/notifications.tsx";
import { webhooksText } from "../../messages/webhooks.ts";
import type { WebhookSource } from "./source.ts";

const endpointsKey = ({ key }: WebhookSource) => [...key, "endpoints"];
export const deliveriesKey = ({ key }: WebhookSource) => [...key, "deliveries"];

export const useEndpoints = (source: WebhookSource) =>
  useQuery({ queryKey: endpointsKey(source), queryFn: ({ signal }) => source.list(signal) });

/** Returns a function that reads the endpoints and the deliveries again. */
export function useRefresh(source: WebhookSource): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: source.key });
}

const WATCHED_MS = 15_000;
const watchKey = ({ key }: WebhookSource) => [...key, "watched until"];

/** Returns a function that reads the deliveries repeatedly for some seconds, because the service queues them after its reply. */
export function useWatch(source: WebhookSource): () => Promise<void> {
  const queries = useQueryClient();
  return () => {
    queries.setQueryData(watchKey(source), Date.now() + WATCHED_MS);
    return queries.invalidateQueries({ queryKey: deliveriesKey(source) });
  };
}

/** Whether deliveries were queued some seconds ago. */
export function useIsWatched(source: WebhookSource): () => boolean {
  const queries = useQueryClient();
  return () => (queries.getQueryData<number>(watchKey(source)) ?? 0) > Date.now();
}

/** Sends a test event to an endpoint. */
export function useTest(source: WebhookSource) {
  const watch = useWatch(source);
  return useMutation({
    mutationFn: source.test,
    onSuccess: async () => {
      notifications.show({ message: webhooksText.tested });
      await watch();
    },
  });
}
