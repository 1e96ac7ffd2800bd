/** Executes the calls of a test: reads `{"call", "args"}` from each line, calls that helper, and prints `{"result"}` or `{"error"}`. */
import { createInterface } from "node:readline";
import * as svc from "../src/index.ts";

const helpers = svc as unknown as Record<string, (...args: unknown[]) => unknown>;

for await (const line of createInterface({ input: process.stdin })) {
  const { call, args } = JSON.parse(line) as { call: string; args: unknown[] };
  const helper = helpers[call];
  try {
    if (!helper) throw new Error(`There is no helper ${call}.`);
    const result = await helper(...args.map((arg) => (arg === null ? undefined : arg)));
    say({ result: result instanceof Uint8Array ? new TextDecoder().decode(result) : (result ?? null) });
  } catch (error) {
    const { name, message, status, code, error: failure } = error as Error & { status?: number; code?: string; error?: unknown };
    say({ error: { name, message, status, code, failure } });
  }
}

function say(answer: object): void {
  console.log(`ANSWER ${JSON.stringify(answer)}`);
}
