import { operations } from "../../../contract/client/operations/all.ts";
import { toRequest } from "../../../contract/client/request.ts";
import { limits } from "../../../contract/limits.ts";
import { Complaint } from "../../launch/complaint.mjs";
import { type Api, expectEqual, type Target, until } from "./client.ts";

/** The part of a check's context that the checks of streams need. */
interface StreamContext {
  target: Target;
  api: Api;
  workspace: string;
  size: { streamS: number };
  saveScript(name: string, content: string): Promise<string>;
}

/** A slot of a reader expires after this time if the service does not notice that the reader has disconnected. */
const EXPIRED_MS = limits.streamMs + 2 * limits.streamGraceMs;
const REFUSED = 5;

/** Reads a script's stream while the script runs, and resumes it whenever the service ends it. */
export async function checkStream({ target, workspace, saveScript, size: { streamS } }: StreamContext): Promise<string> {
  const path = await saveScript(
    "stream",
    `export async function* main(seconds: number) {
  for (let n = 0; n < seconds; n += 1) {
    yield n + "\\n";
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}`,
  );
  const { whole, pieces, connections, lastedMs } = await readStream(
    target,
    toRequest(operations, "jobs.runStream.scripts", { workspace, path }).address,
    { seconds: streamS },
  );
  expectEqual(whole, Array.from({ length: streamS }, (_, n) => `${n}\n`).join(""), "The stream");
  if (lastedMs < streamS * 1000) throw new Complaint(`The stream ended after ${lastedMs} ms, before the script.`);
  // A reply that a proxy buffers arrives in one piece at the end.
  if (pieces < streamS / 4) throw new Complaint(`The stream arrived in ${pieces} pieces: something on its way holds it back.`);
  if (connections - 1 > lastedMs / limits.streamMs) throw new Complaint(`The stream was cut ${connections - 1} times in ${lastedMs} ms.`);
  return `${pieces} pieces in ${Math.round(lastedMs / 1000)} s, by ${connections} connections`;
}

/** Reads a stream of server-sent events to the end of its job: the whole text, the number of pieces in which it arrived, and its duration. */
async function readStream(target: Target, path: string, body: object) {
  const startedMs = Date.now();
  let [whole, pieces, connections, completed, lastEventId] = ["", 0, 0, false, ""];
  while (!completed) {
    connections += 1;
    const answer = await fetch(`${target.url}${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${target.token}`,
        "content-type": "application/json",
        ...(lastEventId === "" ? {} : { "last-event-id": lastEventId }),
      },
      body: JSON.stringify(body),
    });
    if (answer.status !== 200 || !answer.body) throw new Complaint(`The stream returned ${answer.status}: ${await answer.text()}`);
    const decoder = new TextDecoder();
    let [text, type] = ["", ""];
    for await (const part of answer.body) {
      text += decoder.decode(part, { stream: true });
      const events = text.split("\n\n");
      text = events.pop() ?? "";
      const before = whole.length;
      for (const event of events) {
        lastEventId = /^id: (.*)$/m.exec(event)?.[1] ?? lastEventId;
        const data = /^data: (.*)$/m.exec(event)?.[1];
        if (data === undefined) continue;
        const update = JSON.parse(data) as { type: string; new_result_stream?: string; completed?: boolean };
        type = update.type;
        whole += update.new_result_stream ?? "";
        completed ||= update.completed === true;
      }
      if (whole.length > before) pieces += 1;
    }
    if (!completed && type !== "timeout")
      throw new Complaint(`The stream ended after ${Date.now() - startedMs} ms with neither the end of the job nor a timeout.`);
  }
  return { whole, pieces, connections, lastedMs: Date.now() - startedMs };
}

/** Opens more streams than a reader may have, abandons all of them, and waits for a free slot. */
export async function checkLeftStreams({ target, api, workspace, saveScript }: StreamContext): Promise<string> {
  const path = await saveScript("left", "export const main = () => new Promise((resolve) => setTimeout(resolve, 600_000));");
  const job = await api.call.jobs.run.scripts({ path, body: {} });
  const reader = new AbortController();
  const { address } = toRequest(operations, "jobs.updateStream", { workspace, id: job, query: { only_result: true } });
  const open = (signal: AbortSignal) =>
    fetch(`${target.url}${address}`, {
      headers: { authorization: `Bearer ${target.token}` },
      signal,
    });
  try {
    const opened = await Promise.all(Array.from({ length: limits.streamsPerToken + REFUSED }, () => open(reader.signal)));
    const refused = opened.filter(({ status }) => status === 429);
    const statuses = opened.map(({ status }) => status).sort();
    const expected = opened.map((_, n) => (n < limits.streamsPerToken ? 200 : 429));
    expectEqual(statuses, expected, "The list of statuses");
    if (refused.some(({ headers }) => !headers.has("retry-after"))) throw new Complaint("A refused stream has no Retry-After.");
  } finally {
    reader.abort();
  }
  const leftMs = Date.now();
  await until(EXPIRED_MS, "A free stream", async () => {
    const again = new AbortController();
    const { status } = await open(again.signal);
    again.abort();
    return status === 200 || undefined;
  });
  await api.call.jobs.cancel({ id: job, body: { reason: "The check has ended." } });
  return `${limits.streamsPerToken} were open, and one was free ${Math.round((Date.now() - leftMs) / 1000)} s after all were left`;
}
