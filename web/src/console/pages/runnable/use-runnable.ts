import { useQuery } from "@tanstack/react-query";
import type { Reply } from "../../../../../contract/client/operation.ts";
import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import { Refused } from "../../../shared/service.ts";
import { call } from "../../data/api.ts";

export type Kind = "script" | "flow";
export type Script = Reply<"scripts.getByPath">;
export type Flow = Reply<"flows.get">;

/** The fields that scripts and flows share. */
export interface Runnable {
  kind: Kind;
  path: string;
  summary: string;
  description: string;
  schema: Record<string, unknown> | undefined;
  hash: string;
  editedBy: string;
  editedAt: string;
  isArchived: boolean;
  isStarred: boolean;
  script?: Script;
  flow?: Flow;
}

export const runnableKey = (workspace: string, kind: Kind, path: string) => [workspace, kind, path] as const;

const withStar = { with_starred_info: true } as const;

/** A script that was saved without a schema has the one of its code. */
const schemaOf = (...schemas: unknown[]) => schemas.find(isJsonObject);

const fromScript = (script: Script): Runnable => ({
  kind: "script",
  path: script.path,
  summary: script.summary,
  description: script.description,
  schema: schemaOf(script.schema, script.inferred_schema),
  hash: script.hash,
  editedBy: script.created_by,
  editedAt: script.created_at,
  isArchived: script.archived,
  isStarred: script.starred,
  script,
});

const fromFlow = (flow: Flow): Runnable => ({
  kind: "flow",
  path: flow.path,
  summary: flow.summary,
  description: flow.description ?? "",
  schema: schemaOf(flow.schema),
  hash: flow.hash,
  editedBy: flow.edited_by,
  editedAt: flow.edited_at,
  isArchived: flow.archived,
  isStarred: flow.starred,
  flow,
});

/** Loads a script by its path. An archived one is known by its version alone. */
async function loadScript(workspace: string, path: string, signal: AbortSignal): Promise<Script> {
  try {
    return await call.scripts.getByPath({ workspace, path, query: withStar, signal });
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 404) throw error;
    const [archived] = await call.scripts.list({ workspace, query: { path_exact: path, show_archived: true }, signal });
    if (!archived) throw error;
    return call.scripts.getByHash({ workspace, hash: archived.hash, query: withStar, signal });
  }
}

/** Loads the newest version of a script or a flow. */
export function useRunnable(workspace: string, kind: Kind, path: string) {
  return useQuery({
    queryKey: runnableKey(workspace, kind, path),
    queryFn: async ({ signal }): Promise<Runnable> =>
      kind === "flow"
        ? fromFlow(await call.flows.get({ workspace, path, query: withStar, signal }))
        : fromScript(await loadScript(workspace, path, signal)),
  });
}
