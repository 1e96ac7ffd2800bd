import { callLogService } from "../../../engine/engine/log-service.ts";
import { shared } from "../api/api.ts";
import { until } from "../until.ts";

async function logs<T>(endpoint: string, operation: string, input: object): Promise<T> {
  const ask = () => callLogService(endpoint, operation, input);
  // Paginates as an AWS client does. The engine fails if a group is created during a listing.
  let answer = await ask();
  for (let attempt = 1; answer.status >= 500 && attempt < 4; attempt++) answer = await ask();
  if (!answer.ok) throw new Error(`${operation}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** Reads all lines of every log group, by group, or only those since a time in epoch ms. */
export async function allLogs(sinceMs = 0): Promise<Map<string, string>> {
  const { endpoint } = shared();
  const groups = await all<{ logGroupName: string }>(endpoint, "DescribeLogGroups", "logGroups", {});
  const found = new Map<string, string>();
  for (const { logGroupName } of groups) {
    found.set(logGroupName, (await eventsOf(endpoint, logGroupName, sinceMs)).join("\n"));
  }
  return found;
}

/** Waits for a log line about something that was called within the last minute. Near its end, a whole run of tests has logged too much to read all of it. */
export function findLogLine(fits: (line: string) => boolean, what: string): Promise<string> {
  const sinceMs = Date.now() - 60_000;
  const find = async () => [...(await allLogs(sinceMs)).values()].flatMap((text) => text.split("\n")).find(fits);
  return until(find, { what: `the log line of ${what}` });
}

/** The engine returns only the oldest events of a group, this many, and no token for the next page. */
const PAGE = 10_000;

/** Reads every message of a group since a time in epoch ms. Messages of the millisecond at a page border appear twice. */
async function eventsOf(endpoint: string, logGroupName: string, sinceMs: number): Promise<string[]> {
  const found: string[] = [];
  for (let startTime = sinceMs; ; ) {
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
