import { engineCredentials } from "../../../engine/engine/child-env.ts";
import { shared } from "../api/api.ts";

/** Makes one call of the CloudWatch Logs API. The engine checks no signature, so two operations need no SDK client. */
async function logs<T>(endpoint: string, operation: string, input: object): Promise<T> {
  const { AWS_ACCESS_KEY_ID: key, AWS_REGION: region } = engineCredentials;
  const ask = () =>
    fetch(endpoint, {
      method: "POST",
      headers: {
        "content-type": "application/x-amz-json-1.1",
        "x-amz-target": `Logs_20140328.${operation}`,
        authorization: `AWS4-HMAC-SHA256 Credential=${key}/20260101/${region}/logs/aws4_request, SignedHeaders=host, Signature=0`,
      },
      body: JSON.stringify(input),
    });
  // Paginates as an AWS client does. The engine fails if a group is created during a listing.
  let answer = await ask();
  for (let attempt = 1; answer.status >= 500 && attempt < 4; attempt++) answer = await ask();
  if (!answer.ok) throw new Error(`${operation}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** Reads all lines of every log group, by group. */
export async function allLogs({ endpoint }: { endpoint: string } = shared()): Promise<Map<string, string>> {
  const groups = await all<{ logGroupName: string }>(endpoint, "DescribeLogGroups", "logGroups", {});
  const found = new Map<string, string>();
  for (const { logGroupName } of groups) {
    found.set(logGroupName, (await eventsOf(endpoint, logGroupName)).join("\n"));
  }
  return found;
}

/** The engine returns only the oldest events of a group, this many, and no token for the next page. */
const PAGE = 10_000;

/** Reads every message of a group. Messages of the millisecond at a page border appear twice. */
async function eventsOf(endpoint: string, logGroupName: string): Promise<string[]> {
  const found: string[] = [];
  for (let startTime = 0; ; ) {
    const page = await all<{ message: string; timestamp: number }>(endpoint, "FilterLogEvents", "events", { logGroupName, startTime });
    found.push(...page.map(({ message }) => message));
    const lastMs = page.at(-1)?.timestamp ?? startTime;
    if (page.length < PAGE || lastMs === startTime) return found;
    startTime = lastMs;
  }
}

async function all<T>(endpoint: string, operation: string, field: string, input: object): Promise<T[]> {
  const found: T[] = [];
  let nextToken: string | undefined;
  do {
    const page: { nextToken?: string } & Record<string, unknown> = await logs(endpoint, operation, {
      ...input,
      ...(nextToken ? { nextToken } : {}),
    });
    found.push(...((page[field] as T[] | undefined) ?? []));
    nextToken = page.nextToken === nextToken ? undefined : page.nextToken;
  } while (nextToken);
  return found;
}
