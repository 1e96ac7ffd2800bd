import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "../../data/objects-api.ts";
import { notifications } from "../../frame/notifications.tsx";
import { workspaceSettingsText } from "../../messages/objects/workspace-settings.ts";

const text = workspaceSettingsText.key;

const POLLED_MS = 1_000;
/** The service continues an interrupted rotation once a minute. */
const POLLED_INTERRUPTED_MS = 10_000;

/** Reads the progress of a key rotation, and continues it part by part until it has ended or another process continues it. */
export function useKeyRotation(workspace: string) {
  const queries = useQueryClient();
  const queryKey = [workspace, "key rotation"];
  const proceed = useMutation({
    mutationFn: async () => {
      const read = () => call.workspaces.getKeyRotation({ workspace });
      let rotation = await read();
      const wasOpen = rotation.state !== "none";
      while (rotation.state === "interrupted") {
        rotation = await call.workspaces.continueKeyRotation({ workspace });
        queries.setQueryData(queryKey, rotation);
      }
      return wasOpen && rotation.state === "none" ? rotation : undefined;
    },
    onSuccess: (ended) => {
      if (ended) notifications.show({ message: ended.unreadable.length > 0 ? text.endedInPart : text.ended });
    },
    onSettled: () => queries.invalidateQueries({ queryKey }),
  });
  const state = useQuery({
    queryKey,
    queryFn: ({ signal }) => call.workspaces.getKeyRotation({ workspace, signal }),
    refetchInterval: ({ state: { data } }) => {
      if (data?.state === "running" || proceed.isPending) return POLLED_MS;
      return data?.state === "interrupted" ? POLLED_INTERRUPTED_MS : false;
    },
  });
  return { state, proceed: () => proceed.mutate(), isProceeding: proceed.isPending, error: proceed.error };
}
