import type { Body } from "../../../../../contract/client/operation.ts";

/** The choice of the user for a document. Empty expressions match every text. */
export interface DocumentChoice {
  format: "yaml" | "json";
  contents: "all" | "routes" | "webhooks";
  folder: string;
  path: string;
  route: string;
  /** Empty: any. */
  tags: string[];
}

export const everything: DocumentChoice = { format: "yaml", contents: "all", folder: "", path: "", route: "", tags: [] };

const matching = (expression: string) => expression.trim() || "*";

/** Returns the request for a document. Without filters, the service lists every route and webhook. */
export function toDocumentRequest({ format, contents, folder, path, route, tags }: DocumentChoice): Body<"openapi.generate"> {
  const isFiltered = [folder, path, route].some((expression) => expression.trim() !== "");
  const common = { openapi_spec_format: format, ...(tags.length > 0 ? { tags } : {}) };
  if (contents === "all" && !isFiltered) return common;
  const httpRoutes = [{ folder_regex: matching(folder), path_regex: matching(path), route_path_regex: matching(route) }];
  const inFolder = {
    user_or_folder_regex: folder.trim() === "" ? ("*" as const) : ("f" as const),
    user_or_folder_regex_value: matching(folder),
  };
  const webhooks = (["script", "flow"] as const).map((runnable_kind) => ({ ...inFolder, path: matching(path), runnable_kind }));
  return {
    ...common,
    http_route_filters: contents === "webhooks" ? [] : httpRoutes,
    webhook_filters: contents === "routes" ? [] : webhooks,
  };
}
