import { expect } from "vitest";
import { streamEventSchema } from "../../../contract/routes/jobs/streams.ts";
import type { Workspace } from "./workspace.ts";

/** One server-sent event; `id` is the offset in the stream that it reaches, and `lastEventId` what a browser sends to resume after it. */
export interface Event {
  id: number;
  lastEventId: string;
  data: Record<string, unknown>;
}

export interface EventOptions {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
  query?: Record<string, string>;
  /** Disconnects after this number of events. */
  most?: number;
  /** Disconnects after the first matching event. */
  until?: (event: Event) => boolean;
}

/** Reads every event of a stream in the form of api.md §2.5: lines `id:` and `data:`, and a blank line. */
export async function eventsOf(ws: Workspace, route: string, options: EventOptions = {}): Promise<Event[]> {
  const { method = "GET", body, headers = {}, query = {}, most = Number.POSITIVE_INFINITY, until = () => false } = options;
  const answer = await fetch(`${ws.api.url}/api/w/${ws.id}/${route}?${new URLSearchParams(query)}`, {
    method,
    headers: { authorization: `Bearer ${ws.api.token}`, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  if (answer.headers.get("content-type") !== "text/event-stream") throw new Error(`not a stream: ${answer.headers.get("content-type")}`);
  const found: Event[] = [];
  let text = "";
  const decoder = new TextDecoder();
  for await (const piece of answer.body ?? []) {
    text += decoder.decode(piece, { stream: true });
    for (let at = text.indexOf("\n\n"); at >= 0; at = text.indexOf("\n\n")) {
      const [, lastEventId, data] = /^id: (\S+)\n(?:retry: \d+\n)?data: ([^\n]*)$/.exec(text.slice(0, at)) ?? [];
      if (lastEventId === undefined || data === undefined) throw new Error(`not an event: ${text.slice(0, at)}`);
      const event = { id: Number.parseInt(lastEventId, 10), lastEventId, data: JSON.parse(data) as Record<string, unknown> };
      // The contract contains every field.
      expect(streamEventSchema.parse(event.data)).toEqual(event.data);
      found.push(event);
      text = text.slice(at + 2);
      // Leaving the loop closes the connection.
      if (found.length >= most || until(event)) return found;
    }
  }
  return found;
}

/** The concatenated text of a stream. */
export const streamOf = (found: Event[]) => found.map(({ data }) => data["new_result_stream"] ?? "").join("");
