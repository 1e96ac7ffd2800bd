import { setTimeout as sleep } from "node:timers/promises";
import { streamOperations } from "../../contract/client/operations/jobs.ts";
import { toRequest } from "../../contract/client/request.ts";
import { median, p95, sorted } from "../measure.ts";
import type { Row } from "../table.ts";
import { ticker } from "./scripts.ts";

interface Streamed {
  url: string;
  token: string;
  workspace: string;
  quick: boolean;
}

/**
 * A script yields the time of each line, and the reader compares it with the time of the event on the same machine. The first line is sent
 * immediately, the others while a reader follows.
 */
export async function streamRows(streamed: Streamed): Promise<Row[]> {
  const first: number[] = [];
  const later: number[] = [];
  const [runs, lines] = streamed.quick ? [1, 2] : [12, 8];
  // The first run starts the functions.
  if (!streamed.quick) await delays(streamed, 1);
  for (let at = 0; at < runs; at++) {
    const [one = Number.NaN, ...others] = await delays(streamed, lines);
    first.push(one);
    later.push(...others);
    await sleep(100);
  }
  const row = (line: string, values: number[], atMost: number): Row => {
    const sample = sorted(values);
    return { line, value: p95(sample), unit: "ms", note: `p95; median ${median(sample).toFixed(1)}`, target: { atMost } };
  };
  return [row("from a stream's first line to its event", first, 150), row("from a later line to its event", later, 300)];
}

async function delays({ url, token, workspace }: Streamed, lines: number): Promise<number[]> {
  const answer = await fetch(`${url}${toRequest(streamOperations, "jobs.runStream.scripts", { workspace, path: ticker.path }).address}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ lines }),
  });
  if (!answer.ok || !answer.body) throw new Error(`run_and_stream answered ${answer.status}: ${await answer.text()}`);
  const found: number[] = [];
  let text = "";
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    const nowMs = Date.now();
    text += chunk;
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) {
      const { new_result_stream: news = "" } = JSON.parse(event.slice(event.indexOf("data: ") + 6)) as { new_result_stream?: string };
      found.push(
        ...news
          .split("\n")
          .filter(Boolean)
          .map((line) => nowMs - Number(line)),
      );
    }
  }
  if (found.length !== lines) throw new Error(`The stream had ${found.length} of ${lines} lines.`);
  return found;
}
