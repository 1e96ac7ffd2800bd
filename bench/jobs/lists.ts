import { randomUUID } from "node:crypto";
import type { Answer, HttpClient } from "../http-client.ts";
import { median, oneClient } from "../measure.ts";
import { copyJob, loadEndedJob } from "../seeds/jobs.ts";
import { Tables } from "../seeds/tables.ts";
import type { Row } from "../table.ts";

interface Listed {
  client: HttpClient;
  endpoint: string;
  workspace: string;
  quick: boolean;
}

/** Measures lists and counts of a workspace with many ended jobs. They are written directly, as copies of one that ran. */
export async function listRows({ client, endpoint, workspace, quick }: Listed): Promise<Row[]> {
  const tables = new Tables(endpoint);
  const { item, name } = await loadEndedJob(client, tables, workspace);
  const [parent, rare] = [randomUUID(), "bench-creator"];
  const { list, listCompleted, countCompleted } = client.ask.jobs;
  const reads: Record<string, () => Promise<Answer>> = {
    "by parent": () => list({ workspace, query: { parent_job: parent } }),
    "by creator": () => list({ workspace, query: { created_by: rare } }),
    unsuccessful: () => listCompleted({ workspace, query: { success: false } }),
    "by a filter without an index": () => list({ workspace, query: { worker: "none" } }),
    "by arguments": () => list({ workspace, query: { args: '{"none":1}' } }),
    count: () => countCompleted({ workspace }),
  };
  const rows: Row[] = [];
  let written = 0;
  for (const size of quick ? [25, 50] : [1000, 50_000]) {
    const copies = Array.from({ length: size - written }, (_, index) => {
      const at = written + index;
      return {
        ...copyJob(item, workspace, at),
        ...(at % 100 === 0 ? { parent: { S: parent } } : {}),
        ...(at % 100 === 7 ? { by: { S: rare } } : {}),
      };
    });
    await tables.writeAll(name, copies);
    written = size;
    for (const [line, read] of Object.entries(reads)) {
      const measured = await oneClient(read, quick ? { calls: 1, warmUp: 0 } : { calls: 20, warmUp: 3 });
      rows.push({ line: `${size.toLocaleString("en")} jobs: ${line}`, value: median(measured), unit: "ms", target: { atMost: 500 } });
    }
  }
  return rows;
}
