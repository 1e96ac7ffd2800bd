import { queryOptions, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { call } from "./api.ts";
import { chooseWorkspace } from "./last-workspaces.ts";

const KEPT_MS = 60_000;

export const meQuery = queryOptions({ queryKey: ["me"], queryFn: () => call.users.whoamiGlobal(), staleTime: KEPT_MS });
export const workspacesQuery = queryOptions({ queryKey: ["workspaces"], queryFn: () => call.workspaces.list(), staleTime: KEPT_MS });
export const memberQuery = (workspace: string) =>
  queryOptions({ queryKey: [workspace, "member"], queryFn: () => call.users.whoami({ workspace }), staleTime: KEPT_MS });

/** The workspace of the address. */
export const useWorkspace = (): string => useParams({ strict: false }).ws ?? "";

/** The workspace of the address. A page that belongs to none names the one that was used last. */
export function useNearestWorkspace(): string {
  const { data = [] } = useQuery(workspacesQuery);
  return useWorkspace() || (chooseWorkspace(data.map(({ id }) => id)) ?? "");
}

/** The signed-in user in the workspace of the address. The frame has loaded it. */
export const useMember = () => useSuspenseQuery(memberQuery(useWorkspace())).data;
