import { defined } from "../../../../contract/defined.ts";
import { PromiseCache } from "../../../../contract/utilities/promise-cache.ts";
import { addIteration } from "../../../../core/expressions/iteration.ts";
import { findScopePath, listIndices, progressRef } from "../../../../core/flows/journal.ts";
import type { Scope } from "../../../../core/flows/scopes.ts";
import type { ValueRef } from "../../../../core/jobs/record/value-ref.ts";
import type { Uses } from "../../../uses.ts";
import { loadFlowValue } from "../flow-values.ts";
import { findProgress, readJournal } from "../journal.ts";
import type { StepContext } from "../step-context.ts";

/** A reference to the arguments of the flow's job. */
export const inputRefOf = ({ id, args, redactedArgs: redacted }: StepContext["flow"]): ValueRef => ({
  jobId: id,
  location: args,
  ...defined({ redacted }),
});

/** The input of the flow, with `iter` for each loop around the step. */
export async function loadInput(deps: Uses<"jobs" | "storage">, step: StepContext): Promise<Record<string, unknown>> {
  let input = (await loadFlowValue(deps, step, inputRefOf(step.flow))) as Record<string, unknown>;
  const indices = listIndices(step.path);
  for (const [depth, body] of loopBodiesAround(step.scope).entries()) {
    const index = indices[depth] ?? 0;
    input = addIteration(input, { index, value: await itemAt(deps, step, body, index) });
  }
  return input;
}

/** The bodies of the loops around a list, outermost first. */
function loopBodiesAround(scope: Scope): Scope[] {
  const found: Scope[] = [];
  for (let inner: Scope | undefined = scope; inner; inner = inner.of?.scope) {
    const outer: Scope | undefined = inner.of?.scope;
    if (outer && inner.loops.length > outer.loops.length) found.unshift(inner);
  }
  return found;
}

async function itemAt(deps: Uses<"jobs" | "storage">, step: StepContext, body: Scope, index: number): Promise<unknown> {
  const { of: loop } = body;
  if (loop?.module.value.type !== "forloopflow") return index;
  const path = findScopePath(loop.scope, step.path);
  const { id } = loop.module;
  const items = await readJournal(deps, step.flow, [progressRef(id, loop.scope.name, path)]);
  const { list } = findProgress(items, id, loop.scope.name, path) ?? {};
  return list === undefined ? null : ((await loadList(deps, step, list)) as unknown[])[index];
}

/** Lists that iterations in this process have read. A list never changes, so it is read once for many iterations. */
const lists = new PromiseCache<string, { value: unknown; secrets: Set<string> }>({ max: 20 });

async function loadList(deps: Uses<"jobs" | "storage">, step: StepContext, ref: ValueRef): Promise<unknown> {
  const { location: valueLocation } = ref;
  if (valueLocation.in === "head") return loadFlowValue(deps, step, ref);
  const name = `${ref.jobId} ${valueLocation.in === "item" ? valueLocation.ref : valueLocation.key}`;
  const { value, secrets } = await lists.get(name, async () => {
    const secrets = new Set<string>();
    return { value: await loadFlowValue(deps, { secrets }, ref), secrets };
  });
  for (const secret of secrets) step.secrets.add(secret);
  return value;
}
