import { randomUUID } from "node:crypto";
import { filesOf, generateItem, generateItems } from "../../test/builders/workspace-files.ts";
import { writeFiles } from "../../test/support/cli/write-files.ts";
import { totalOf } from "../cost/cost.ts";
import { functionLogs } from "../cost/counted.ts";
import { timeSpawn } from "../floors.ts";
import { httpClient } from "../http-client.ts";
import { median, oneClient, p95, sorted } from "../measure.ts";
import type { Row } from "../table.ts";
import { type InstalledCli, installCli } from "./installed.ts";

interface Measured {
  url: string;
  endpoint: string;
  token: string;
  quick: boolean;
}

/** Bash needs no packages, so the builds of the saved scripts and flows cost little. */
const GENERATED = { language: "bash", source: "# NOTE\necho hello\n" } as const;
const CONFIG = "skipSecrets: false\nincludeSchedules: true\nparallel: 10\n";

/** Measures the packed command line, and the archive of a workspace with 1,000 items. */
export async function cliRows(measured: Measured): Promise<Row[]> {
  const { quick } = measured;
  const workspace = `cli-${randomUUID().slice(0, 8)}`;
  const client = httpClient(measured);
  await client.ask.workspaces.create({ body: { id: workspace, name: workspace } });
  const cli = await installCli({ ...measured, workspace });
  try {
    const items = generateItems(GENERATED, { part: quick ? 0.001 : 1 });
    const source = cli.newFolder();
    // The files contain the secrets themselves.
    writeFiles(source, new Map([["svc.yaml", `${CONFIG}plainSecrets: true\n`], ...filesOf(items)]));
    const created = await cli.run(["sync", "push", "--yes", "--wait"], source);
    return [
      await versionRow(cli, quick),
      ...(await archiveRows(measured, workspace, items.length)),
      { line: `push of ${items.length} new items, with their builds`, value: created.ms / 1000, unit: "s", note: "parallel: 10" },
      ...(await syncRows(cli, quick)),
    ];
  } finally {
    client.close();
    cli.remove();
  }
}

/** Runs alternate, so that load on the machine affects both equally. */
async function versionRow({ program }: InstalledCli, quick: boolean): Promise<Row> {
  const took: [number[], number[]] = [[], []];
  for (let turn = 0; turn < (quick ? 1 : 40); turn += 1) {
    took[0].push(await timeSpawn([process.execPath, program, "--version"]));
    took[1].push(await timeSpawn([process.execPath, "--eval", "0"]));
  }
  const [svcMs, bare] = [median(sorted(took[0])), median(sorted(took[1]))];
  return {
    line: "svc --version beside a bare node",
    value: svcMs / bare,
    unit: "×",
    note: `median ${svcMs.toFixed(1)} ms and ${bare.toFixed(1)} ms`,
    target: { atMost: 1.5 },
  };
}

async function archiveRows({ endpoint, quick, ...target }: Measured, workspace: string, items: number): Promise<Row[]> {
  const client = httpClient(target);
  const logs = await functionLogs(endpoint);
  const calls = quick ? 1 : 10;
  const read = () => client.ask.workspaces.tarball({ workspace, query: { include_schedules: true, include_versions: true } });
  try {
    // The first call of a process also reads the workspace's key.
    await read();
    const fromMs = Date.now();
    const sample = await oneClient(read, { calls, warmUp: 0 });
    const { requests } = (await logs.since(fromMs, /SyncFn/)).counts;
    const kms = totalOf(Object.fromEntries(Object.entries(requests).filter(([name]) => name.startsWith("kms."))));
    return [
      {
        line: `archive of ${items} items`,
        value: median(sample) / 1000,
        unit: "s",
        note: `p95 ${(p95(sample) / 1000).toFixed(2)} s`,
        target: { atMost: 2 },
      },
      {
        line: "archive: AWS requests for 25 items",
        value: (totalOf(requests) * 25) / (calls * items),
        unit: "requests",
        // A few items take as many requests as a few hundred.
        ...(quick ? {} : { target: { atMost: 1 } }),
      },
      { line: "archive: requests to KMS", value: kms / calls, unit: "requests", target: { atMost: 1 } },
    ];
  } finally {
    client.close();
  }
}

async function syncRows(cli: InstalledCli, quick: boolean): Promise<Row[]> {
  const times = quick ? 1 : 5;
  const pulls: Ran[] = [];
  let checkout = "";
  for (let at = 0; at < times; at += 1) {
    checkout = cli.newFolder();
    writeFiles(checkout, new Map([["svc.yaml", CONFIG]]));
    pulls.push(await cli.run(["sync", "pull", "--yes"], checkout));
  }
  const repeat = async (...args: string[]) => {
    const runs: Ran[] = [];
    for (let at = 0; at < times; at += 1) runs.push(await cli.run(args, checkout));
    return runs;
  };
  return [
    ...rowsOf("pull into an empty folder", pulls, { seconds: 6, requests: 6 }),
    ...rowsOf("pull with nothing new", await repeat("sync", "pull", "--yes"), { seconds: 1 }),
    ...rowsOf("push with no change", await repeat("sync", "push", "--yes"), { seconds: 1.5, requests: 8 }),
    await changeRow(cli, checkout, quick),
  ];
}

interface Ran {
  ms: number;
  requests: number;
}

function rowsOf(line: string, runs: Ran[], { seconds, requests }: { seconds: number; requests?: number }): Row[] {
  const most = Math.max(...runs.map((run) => run.requests));
  const time: Row = { line, value: median(sorted(runs.map(({ ms }) => ms))) / 1000, unit: "s", target: { atMost: seconds } };
  const limit = requests === undefined ? {} : { target: { atMost: requests } };
  return [time, { line: `${line}: HTTP requests`, value: most, unit: "requests", ...limit }];
}

/** A fifth of the items changes, in the same proportions. Plain variables replace the secrets, which are encrypted in the checkout. */
async function changeRow(cli: InstalledCli, checkout: string, quick: boolean): Promise<Row> {
  const counts = quick ? ({ script: 1, flow: 1, variable: 1 } as const) : ({ script: 20, flow: 10, variable: 100, resource: 70 } as const);
  const changed = (Object.entries(counts) as [keyof typeof counts, number][]).flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, at) => generateItem(kind, at, GENERATED, "changed")),
  );
  writeFiles(checkout, filesOf(changed));
  const { ms, requests } = await cli.run(["sync", "push", "--yes"], checkout);
  return {
    line: `push of ${changed.length} changed items, parallel: 10`,
    value: ms / 1000,
    unit: "s",
    note: `${requests} requests`,
    target: { atMost: 20 },
  };
}
