import { flowValueSchema } from "../../contract/flows/flow-value-schema.ts";
import { buildFlowMachine } from "../../statemachines/flow-machine.ts";
import { median, sorted } from "../measure.ts";
import type { Row } from "../table.ts";
import { each, light } from "./flow-runs.ts";

/** 200 modules of the kinds that flows have: most are steps, each tenth is a loop with one in it. */
const value = flowValueSchema.parse({
  modules: Array.from({ length: 181 }, (_, at) =>
    at % 10 === 9
      ? each(`l${at}`, 3, { parallel: at % 20 === 9 })
      : light(`s${at}`, "1", at % 10 === 5 ? { retry: { constant: { attempts: 2, seconds: 1 } } } : {}),
  ).concat(light("last")),
});

/** Measures the compilation of a flow to its machine. The first compilation counts, because a function compiles only one flow. */
export function compileRows(quick: boolean): Row[] {
  const took: number[] = [];
  let bytes = 0;
  for (let at = 0; at < (quick ? 2 : 50); at++) {
    const startedMs = performance.now();
    const { definition } = buildFlowMachine(value, {
      step: "arn:aws:lambda:us-east-1:000000000000:function:step",
      stack: "svc",
      workspace: "demo",
      path: "f/bench/large",
    });
    bytes = JSON.stringify(definition).length;
    took.push(performance.now() - startedMs);
  }
  return [
    {
      line: "a flow of 200 modules, the first time",
      value: took[0] ?? Number.NaN,
      unit: "ms",
      target: { atMost: 50 },
      note: `median ${median(sorted(took)).toFixed(1)}; ${Math.round(bytes / 1024)} KB`,
    },
  ];
}
