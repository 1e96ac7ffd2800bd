import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../../../engine/paths.ts";
import type { Definition, State } from "../../../statemachines/asl.ts";

/** The fixtures of flows and their state machines, one folder for each feature. */
export const flowFixtures = path.join(root, "test", "fixtures", "flows");
export const flowFixtureNames = readdirSync(flowFixtures).sort();
export const flowFixture = (name: string, file: "flow.yaml" | "asl.json") => readFileSync(path.join(flowFixtures, name, file), "utf8");

/** Lists a machine and all machines inside it. */
export function machinesIn(machine: Definition): Definition[] {
  return [machine, ...Object.values(machine.States).flatMap(insideOf).flatMap(machinesIn)];
}
function insideOf(state: State): Definition[] {
  if (state.Type === "Map") return [state.ItemProcessor];
  return state.Type === "Parallel" ? state.Branches : [];
}
