import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { call } from "./api.ts";

const KEPT_MS = 60_000;

export const meQuery = queryOptions({ queryKey: ["me"], queryFn: () => call.users.whoamiGlobal(), staleTime: KEPT_MS });
export const workspacesQuery = queryOptions({ queryKey: ["workspaces"], queryFn: () => call.workspaces.list(), staleTime: KEPT_MS });
export const memberQuery = (workspace: string) =>
  queryOptions({ queryKey: [workspace, "member"], queryFn: () => call.users.whoami({ workspace }), staleTime: KEPT_MS });

/** The workspace of the address. */
export const useWorkspace = (): string => useParams({ strict: false }).ws ?? "";

/** The signed-in user in the workspace of the address. The frame has loaded it. */
export const useMember = () => useSuspenseQuery(memberQuery(useWorkspace())).data;
