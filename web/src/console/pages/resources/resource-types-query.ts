import { queryOptions } from "@tanstack/react-query";
import { call } from "../../data/objects-api.ts";

/** The resource types of a workspace and the built-in ones. */
export const resourceTypesQuery = (workspace: string) =>
  queryOptions({
    queryKey: [workspace, "all resource types"],
    queryFn: ({ signal }) => call.resources.types.list({ workspace, signal }),
  });
