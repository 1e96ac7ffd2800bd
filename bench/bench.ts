import { setTimeout as sleep } from "node:timers/promises";
import { approvalRows } from "./approvals/approvals.ts";
import { chatRows } from "./approvals/chats.ts";
import { cliRows } from "./cli/cli.ts";
import { consoleRows } from "./console/console.ts";
import { costRows } from "./cost/cost.ts";
import { eventCostRows } from "./cost/events.ts";
import { eventRows } from "./events.ts";
import { invokeFloor, spawnFloor } from "./floors.ts";
import { compileRows } from "./flows/compiling.ts";
import { flowCostRows } from "./flows/flow-cost.ts";
import { flowRows } from "./flows/flows.ts";
import { loopRows } from "./flows/loops.ts";
import { waitingRows } from "./flows/waiting.ts";
import { httpClient } from "./http-client.ts";
import { bundleRows } from "./jobs/bundles.ts";
import { connectionRows } from "./jobs/connections.ts";
import { asyncRows, type Measured, syncRows } from "./jobs/latency.ts";
import { listRows } from "./jobs/lists.ts";
import { payloadRows } from "./jobs/payload.ts";
import { goBinaryOf, runnerRows } from "./jobs/runners.ts";
import { scheduleRows } from "./jobs/schedules.ts";
import { echo, fibo, saveScripts, ticker } from "./jobs/scripts.ts";
import { streamRows } from "./jobs/streams.ts";
import { REST_MS } from "./measure.ts";
import { type Memory, memoryOf } from "./memory.ts";
import { routeRows } from "./routes.ts";
import type { Row, Section } from "./table.ts";
import { triggerRows } from "./triggers.ts";

/** A running local set-up that contains only its examples. */
export interface Target {
  url: string;
  endpoint: string;
  token: string;
  workspace: string;
  /** The folder of its state. */
  dir: string;
  /** Its processes, with all their descendants. */
  processes: number[];
  /** Processes that wait for the others. */
  launchers?: number[];
}

export interface BenchOptions {
  /** Makes a few calls of each kind, which shows that the benchmark works. The figures are meaningless. */
  quick: boolean;
  /** The sections with a matching title. */
  only?: RegExp;
  /** Called before each section. */
  say?: (message: string) => void;
}

export async function bench(target: Target, { quick, only, say = () => {} }: BenchOptions): Promise<Section[]> {
  const client = httpClient(target);
  const sections: Section[] = [];
  const section = async (title: string, rows: () => Promise<Row[]>): Promise<void> => {
    if (only && !only.test(title)) return;
    say(title);
    sections.push({ title, rows: await rows() });
  };
  const of = { client, endpoint: target.endpoint, workspace: target.workspace, quick };
  const memory: Partial<Record<"afterFill" | "atRest" | "afterLoad", Memory>> = {};
  const note = (when: keyof typeof memory) => {
    const found = memoryOf(target);
    if (found) memory[when] = found;
  };
  try {
    const filledMs = Date.now();
    note("afterFill");
    if (!only || only.test(MEMORY)) {
      say("the set-up comes to rest");
      await sleep(quick ? 0 : Math.max(0, filledMs + REST_MS - Date.now()));
    }
    note("atRest");
    say("floors, and scripts are built");
    const node = await spawnFloor("node", [process.execPath, "--eval", "0"], quick);
    await saveScripts(client, target.workspace, [...Object.values(fibo), echo, ticker]);
    const measured: Measured = { client, workspace: target.workspace, floor: await invokeFloor(target.endpoint, quick), quick };
    const { floor } = measured;
    await section("Floors", async () => [
      { line: "bare invoke, 1 client", value: floor.oneClient.value, unit: "ms" },
      { line: "bare invoke, 16 clients", value: floor.sixteenClients.value, unit: "/s" },
      { line: "bare spawn of node", value: node.value, unit: "ms" },
    ]);
    await section("Jobs on the local engine, over HTTP", async () => [...(await asyncRows(measured)), ...(await syncRows(measured))]);
    await section("Flows over HTTP", () => flowRows(measured));
    await section("Flows: a long loop", () => loopRows(of));
    await section("Flows: one that waits", () => waitingRows(of));
    await section("Flows: state transitions, AWS requests and list price of one run", () => flowCostRows(of));
    await section("Approvals", () => approvalRows({ ...measured, endpoint: target.endpoint, target }));
    await section("Approvals in Slack", () => chatRows({ ...measured, endpoint: target.endpoint, url: target.url }));
    await section("Triggers", () => triggerRows(of));
    await section("HTTP routes", () => routeRows(of));
    await section("Flows: compiling", async () => compileRows(quick));
    note("afterLoad");
    await section("Lists and counts over HTTP", () => listRows(of));
    await section("Connections and rights: one call", () => connectionRows(of));
    await section("Streams over HTTP", () => streamRows({ ...of, url: target.url, token: target.token }));
    await section("Console in a browser", () => consoleRows({ client, target, quick }));
    await section("Command line", () => cliRows({ ...target, quick }));
    await section("AWS calls and list price of one job, by kind", () => costRows(of));
    await section("Events: list price", () => eventCostRows(of));
    await section("Schedules", () => scheduleRows(of));
    await section("Events: delivery", () => eventRows(of));
    await section("Reading a webhook's body", () => payloadRows(quick));
    await section("Runner alone, a script that does nothing", () => runnerRows(goBinaryOf(target.dir), quick));
    await section("Function bundles", () => bundleRows(node, quick));
    await section(MEMORY, async () => memoryRows(memory));
    return sections;
  } finally {
    client.close();
  }
}

const MEMORY = "Memory of the local set-up (PSS of all its processes)";

/** `undefined` if the system does not report shared memory. */
function memoryRows({ afterFill, atRest, afterLoad }: Partial<Record<"afterFill" | "atRest" | "afterLoad", Memory>>): Row[] {
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
