import { createClient } from "../../../../../contract/client/client.ts";
import type { CallArguments } from "../../../../../contract/client/operation.ts";
import { flowOperations, flowRunOperations } from "../../../../../contract/client/operations/flows.ts";
import { parseExactJson } from "../../../../../contract/json/exact-json.ts";
import { Refused, send } from "../../../shared/service.ts";
import { documentOf, type FlowDocument, type FlowValue } from "./document/flow-document.ts";

/** A flow keeps its whole numbers, also those that a double cannot hold. */
const readExact = (contentType: string | null | undefined, text: string) =>
  contentType?.startsWith("application/json") ? parseExactJson(text) : text;
const { call, ask } = createClient({ ...flowOperations, ...flowRunOperations }, (request) => send(request, readExact));

/** A flow with the version that a save replaces. */
export interface LoadedFlow {
  document: FlowDocument;
  /** Undefined: a new flow. */
  version: string | undefined;
}

export async function loadFlow(workspace: string, path: string): Promise<LoadedFlow> {
  const { value, headers } = await ask.flows.get({ workspace, path });
  return { document: documentOf(value), version: headers.get("etag") ?? undefined };
}

/** Returns the content of the version that a save was to replace. Undefined: it is gone, or the reader may not see it. */
export async function loadVersion(workspace: string, version: string | undefined): Promise<FlowDocument | undefined> {
  const number = Number(version?.replaceAll('"', ""));
  if (!Number.isSafeInteger(number) || number < 1) return undefined;
  try {
    return documentOf(await call.flows.getByHash({ workspace, version: number }));
  } catch (error) {
    // Without the version, two texts are compared instead of three.
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

type FlowBody = CallArguments<"flows.create">[0]["body"];

interface Deployment extends LoadedFlow {
  workspace: string;
  path: string;
  message: string;
}

/** Saves a flow. A save over another version than the one that the editor began from is refused with `object.versionChanged`. */
export function deployFlow({ workspace, path, document, version, message }: Deployment): Promise<string> {
  const noted = message.trim() === "" ? {} : { deployment_message: message.trim() };
  // The service checks the fields, also those that the editor does not know.
  const keepsIdentity = document["on_behalf_of"] ? { preserve_on_behalf_of: true } : {};
  const body = { ...document, path, ...noted, ...keepsIdentity } as FlowBody;
  if (version === undefined) return call.flows.create({ workspace, body });
  return call.flows.update({ workspace, path, headers: { "if-match": version }, body });
}

/** Starts a test of a flow as it is in the editor, and returns its job. The service checks the whole value. */
export const testFlow = (workspace: string, path: string, value: FlowValue, args: Record<string, unknown>): Promise<string> =>
  call.jobs.run.previewFlow({ workspace, body: { value: value as FlowBody["value"], path: path || undefined, args } });
