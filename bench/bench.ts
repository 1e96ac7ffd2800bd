import { setTimeout as sleep } from "node:timers/promises";
import { bundleRows } from "./bundles.ts";
import { costRows } from "./cost.ts";
import { invokeFloor, spawnFloor } from "./floors.ts";
import { httpClient } from "./http-client.ts";
import { asyncRows, type Measured, syncRows } from "./latency.ts";
import { type Memory, memoryOf } from "./memory.ts";
import { goBinaryOf, runnerRows } from "./runners.ts";
import { echo, fibo, saveScripts } from "./scripts.ts";
import type { Row, Section } from "./table.ts";

/** A local set-up that runs already, with nothing in it but its examples. */
export interface Target {
  url: string;
  endpoint: string;
  token: string;
  workspace: string;
  /** Its state's folder. */
  dir: string;
  /** The processes that it consists of, with all below them. */
  processes: number[];
  /** Processes that wait for the others. */
  launchers?: number[];
}

/** After two minutes the engine ends the processes that no call has used, but one of each function; it looks twice a minute. */
const REST_MS = 155_000;

export interface BenchOptions {
  /** A few calls of everything: shows that the benchmark works, and no figure that means anything. */
  quick: boolean;
  /** Called before each section. */
  say?: (what: string) => void;
}

export async function bench(target: Target, { quick, say = () => {} }: BenchOptions): Promise<Section[]> {
  const client = httpClient(target);
  try {
    const filledMs = Date.now();
    const afterFill = memoryOf(target);
    say("the set-up comes to rest");
    await sleep(quick ? 0 : Math.max(0, filledMs + REST_MS - Date.now()));
    const atRest = memoryOf(target);
    say("bundles");
    const node = await spawnFloor("node", [process.execPath, "--eval", "0"], quick);
    const bundles = await bundleRows(node, quick);
    say("scripts are built");
    await saveScripts(client, target.workspace, [...Object.values(fibo), echo]);
    say("floor: an empty function");
    const measured: Measured = { client, workspace: target.workspace, floor: await invokeFloor(target.endpoint, quick), quick };
    say("asynchronous jobs");
    const asynchronous = await asyncRows(measured);
    say("synchronous jobs");
    const synchronous = await syncRows(measured);
    const afterLoad = memoryOf(target);
    say("AWS calls and price");
    const cost = await costRows({ client, endpoint: target.endpoint, workspace: target.workspace, quick });
    say("runners alone");
    const runners = await runnerRows(goBinaryOf(target.dir), quick);
    const { floor } = measured;
    return [
      {
        title: "Floors",
        rows: [
          { line: "bare invoke, 1 client", value: floor.oneClient.value, unit: "ms" },
          { line: "bare invoke, 16 clients", value: floor.sixteenClients.value, unit: "/s" },
          { line: "bare spawn of node", value: node.value, unit: "ms" },
        ],
      },
      { title: "Jobs on the local engine, over HTTP", rows: [...asynchronous, ...synchronous] },
      { title: "Runner alone, a script that does nothing", rows: runners },
      { title: "AWS calls and list price of one job, by kind", rows: cost },
      { title: "Function bundles", rows: bundles },
      { title: "Memory of the local set-up (PSS of all its processes)", rows: memoryRows({ afterFill, atRest, afterLoad }) },
    ];
  } finally {
    client.close();
  }
}

/** None where the system does not say what processes share. */
function memoryRows({ afterFill, atRest, afterLoad }: Record<"afterFill" | "atRest" | "afterLoad", Memory | undefined>): Row[] {
  if (!afterFill || !atRest || !afterLoad) return [];
  const row = (line: string, { mb, processes }: Memory, atMost?: number): Row => ({
    line,
    value: mb,
    unit: "MB",
    note: `${processes} processes`,
    ...(atMost ? { target: { atMost } } : {}),
  });
  return [row("just after the fill", afterFill), row("at rest", atRest, 600), row("after 16 clients in four languages", afterLoad)];
}
