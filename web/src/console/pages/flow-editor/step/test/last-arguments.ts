import { isJsonObject } from "../../../../../../../contract/json/json-object.ts";
import type { OutlineStepJson } from "../../../../../../../contract/routes/jobs/run-details.ts";
import type { FlowValue } from "../../document/flow-document.ts";
import { findStep } from "../../document/lists.ts";
import { isTransform } from "../inputs/transforms.ts";
import { mayReadSecrets } from "./simple-value.ts";

type Level = readonly Pick<OutlineStepJson, "path" | "module" | "children" | "job">[];

/** Reads the steps of one list in a run. */
export type ReadLevel = (under: string | undefined) => Promise<Level>;

/**
 * Finds the job of a step in a run. In a loop, it is that of the iteration that the editor shows, or else of the last one. Undefined: the step did
 * not run.
 */
export async function findStepJob(
  flow: FlowValue,
  id: string,
  iterations: ReadonlyMap<string, number>,
  read: ReadLevel,
): Promise<string | undefined> {
  const path: { id: string; list: string | number }[] = [];
  for (let placed = findStep(flow, id); placed?.list.owner !== undefined; placed = findStep(flow, placed.list.owner)) {
    path.unshift({ id: placed.list.owner, list: placed.list.list });
  }
  let under: string | undefined;
  for (const { id: owner, list } of path) {
    const container = (await read(under)).find(({ module }) => module === owner);
    if (!container?.children) return undefined;
    const { children } = container;
    const last = children - 1;
    under = `${container.path}/${list === "modules" ? Math.min(iterations.get(owner) ?? last, last) : list}`;
  }
  return (await read(under)).find(({ module }) => module === id)?.job;
}

/**
 * Returns the arguments that a step had in a run, for the expressions that are the same as in this run. Those that may contain a secret are left
 * out, because the arguments of a test are stored with its flow.
 */
export function selectArguments(transforms: unknown, ran: unknown, args: unknown): Record<string, unknown> {
  if (!isJsonObject(transforms) || !isJsonObject(ran) || !isJsonObject(args)) return {};
  const expressionOf = (transform: unknown) => (isTransform(transform) && transform.type === "javascript" ? transform["expr"] : undefined);
  const isSame = (name: string, transform: unknown): boolean => {
    const expression = expressionOf(transform);
    return typeof expression === "string" && expression === expressionOf(ran[name]) && !mayReadSecrets(expression);
  };
  return Object.fromEntries(
    Object.entries(transforms).flatMap(([name, transform]) =>
      Object.hasOwn(args, name) && isSame(name, transform) ? [[name, args[name]]] : [],
    ),
  );
}
