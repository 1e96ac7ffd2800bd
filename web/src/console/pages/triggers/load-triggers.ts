import { ask, call } from "../../data/objects-api.ts";
import { readPages } from "../../parts/read-pages.ts";
import type { Loaded } from "../../parts/stored/use-editor.ts";
import { type ApiKind, fromTrigger, type Trigger, type TriggerValues } from "./trigger.ts";

/** Reads the triggers of a workspace of all kinds, by path. HTTP routes have another page. */
export async function loadTriggers(workspace: string, signal: AbortSignal): Promise<Trigger[]> {
  const [queues, sources, mails] = await Promise.all([
    readPages((query) => call.sqs_triggers.list({ workspace, query, signal })),
    readPages((query) => call.aws_triggers.list({ workspace, query, signal })),
    readPages((query) => call.email_triggers.list({ workspace, query, signal })),
  ]);
  const all: Trigger[] = [
    ...queues.map((trigger) => ({ api: "sqs" as const, ...trigger })),
    ...sources.map((trigger) => ({ api: "aws" as const, ...trigger })),
    ...mails.map((trigger) => ({ api: "email" as const, ...trigger })),
  ];
  return all.sort((a, b) => a.path.localeCompare(b.path));
}

/** The name of a trigger in the address: its kind and its path, because triggers of two kinds can have one path. */
export const nameOf = ({ api, path }: Pick<Trigger, "api" | "path">) => `${api}/${path}`;

/** Returns the kind and the path in the name of a trigger. */
export function parseName(name: string): { api: ApiKind; path: string } {
  const [api = "", ...path] = name.split("/");
  return { api: api === "aws" || api === "email" ? api : "sqs", path: path.join("/") };
}

/** Reads a trigger for its form. */
export async function loadTrigger(workspace: string, name: string): Promise<Loaded<TriggerValues>> {
  const { api, path } = parseName(name);
  const location = { workspace, path };
  const read = async (): Promise<{ trigger: Trigger; headers: Headers }> => {
    if (api === "sqs") {
      const { value, headers } = await ask.sqs_triggers.get(location);
      return { trigger: { api, ...value }, headers };
    }
    if (api === "aws") {
      const { value, headers } = await ask.aws_triggers.get(location);
      return { trigger: { api, ...value }, headers };
    }
    const { value, headers } = await ask.email_triggers.get(location);
    return { trigger: { api, ...value }, headers };
  };
  const { trigger, headers } = await read();
  return { values: fromTrigger(trigger), version: headers.get("etag") ?? undefined };
}
