import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { parseArguments } from "../../core/payload/arguments.ts";
import { median, oneClient, p95 } from "../measure.ts";
import type { Row } from "../table.ts";

const run = promisify(execFile);
const KB = 1024;
const none = { wrapBody: false, raw: false, headers: [], query: [] };
const call = (contentType: string, body: string | Buffer) => {
  const payload = { method: "POST", headers: { "content-type": contentType }, query: {}, bytes: Buffer.from(body as string) };
  return () => parseArguments(payload, none);
};

/** An order of about this many bytes, in the form of a typical webhook. */
const orders = (bytes: number) =>
  Array.from({ length: bytes / 100 }, (_, at) => ({ id: at, sku: `part-${at}`, price: at / 7, tags: ["new", "é"], note: "x".repeat(30) }));

const bodies: Record<string, () => Promise<unknown>> = {
  "10 KB of JSON": call("application/json", JSON.stringify({ orders: orders(10 * KB) })),
  "10 KB of a form": call("application/x-www-form-urlencoded", new URLSearchParams({ text: "a b&c".repeat(2 * KB) }).toString()),
  "10 KB of a CloudEvent": call(
    "application/cloudevents+json",
    JSON.stringify({ id: "1", source: "/shop", type: "order", specversion: "1.0", data: { orders: orders(10 * KB) } }),
  ),
};

/** Measures the parsing of webhook bodies, without engine and AWS. */
export async function payloadRows(quick: boolean): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [line, read] of Object.entries(bodies)) {
    const sample = await oneClient(read, { calls: quick ? 3 : 500, warmUp: quick ? 1 : 200 });
    rows.push({ line, value: median(sample), unit: "ms", note: `p95 ${p95(sample).toFixed(2)}`, target: { atMost: 1 } });
  }
  // Only Linux reports the maximum memory of a process.
  if (process.platform !== "linux") return rows;
  const { stdout } = await run(process.execPath, ["--expose-gc", path.join(import.meta.dirname, "payload-memory.ts")]);
  const times = JSON.parse(stdout) as number;
  return [...rows, { line: "memory for 4 MB of a multipart form, itself among it", value: times, unit: "×", target: { atMost: 3 } }];
}
