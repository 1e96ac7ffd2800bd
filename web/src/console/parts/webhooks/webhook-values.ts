import type { WebhookJson } from "../../../../../contract/routes/events/webhooks.ts";
import { webhooksText } from "../../messages/webhooks.ts";
import { type ComparedField, compared } from "../stored/compared-fields.ts";
import type { Loaded } from "../stored/use-editor.ts";
import type { WorkspaceEventType } from "./event-types.ts";

/** The fields of the form of an endpoint. */
export interface EndpointValues {
  id: string;
  url: string;
  types: WorkspaceEventType[];
  /** One in each line. */
  paths: string;
  description: string;
  isEnabled: boolean;
}

/** The service names this version of the workspace's webhook if there is none. */
const NO_WEBHOOK = "-";

/** Returns the form of an endpoint with its version. */
export const toLoadedEndpoint = (stored: WebhookJson | undefined): Loaded<EndpointValues> => ({
  values: {
    id: stored?.id ?? "",
    url: stored?.url ?? "",
    types: (stored?.events ?? []) as WorkspaceEventType[],
    paths: (stored?.paths ?? []).join("\n"),
    description: stored?.description ?? "",
    isEnabled: stored?.enabled ?? true,
  },
  version: `"${stored?.version ?? NO_WEBHOOK}"`,
});

/** Returns the endpoint that a save sends. */
export function toEndpoint({ url, types, paths, description, isEnabled }: EndpointValues) {
  const patterns = paths.split(/\s+/).filter((path) => path !== "");
  return {
    url: url.trim(),
    events: types.length === 0 ? null : types,
    paths: patterns.length === 0 ? null : patterns,
    description: description.trim(),
    enabled: isEnabled,
  };
}

/** Returns the values that this browser may store: an address can contain a secret. */
export const keepableEndpoint = ({ url: _, ...kept }: EndpointValues): Partial<EndpointValues> => kept;

const typesOf = (types: readonly string[]) => (types.length === 0 ? webhooksText.allTypes : types.join(", "));

/** The fields in which two versions of the workspace's own webhook are compared. */
export const webhookFields: readonly ComparedField<EndpointValues>[] = [
  compared(webhooksText.endpointUrl, "url"),
  compared(webhooksText.eventTypes, "types", typesOf),
];

/** The fields in which two versions of another endpoint are compared. */
export const endpointFields: readonly ComparedField<EndpointValues>[] = [
  ...webhookFields,
  compared(webhooksText.paths, "paths", (paths) => paths.split(/\s+/).join(", ")),
  compared(webhooksText.description, "description"),
  compared(webhooksText.enabled, "isEnabled"),
];
