import { v7 as uuidv7 } from "uuid";
import type { Child } from "../../aws/job-table.ts";
import { SvcError } from "../../contract/errors.ts";
import type { Restart } from "../../contract/routes/flow-runs.ts";
import { indicesOf, outcomeSchema, progressRef, progressSchema } from "../../core/flows/journal.ts";
import { ROOT } from "../../core/flows/scopes.ts";
import { hasEnded, type Job } from "../../core/jobs/job.ts";
import { keys } from "../../core/objects/keys.ts";
import type { Actor } from "../../core/people/actor.ts";
import { type Accepting, enqueue, type NewJob } from "../jobs/accept.ts";
import { load } from "../jobs/places.ts";
import type { Recording } from "../jobs/record.ts";
import { flowVersionOf, type LoadedPlan, type Loading, loadPlan } from "./load.ts";

type Restarting = Accepting & Recording & Loading;

/**
 * A new job of a flow that has ended, which goes on from one of its steps: what the steps before it yielded stands in its journal from the
 * beginning, as references to the first job's values. Throws `flow.notRestarted`, `flow.versionNotFound`, `job.idTaken`.
 */
export async function restartFlow(
  restarting: Restarting,
  actor: Actor,
  origin: Job,
  asked: Restart,
  own: Partial<NewJob>,
): Promise<{ id: string }> {
  const { jobs, objects } = restarting;
  const refused = (reason: string) => new SvcError("flow.notRestarted", { id: origin.id, reason });
  if (!origin.flow) throw refused("it is no flow");
  if (!hasEnded(origin)) throw refused("it has not ended yet");
  if (!origin.flow.plan) throw refused("it never began");
  const wanted = asked.flow_version ?? origin.flow.version;
  const flow = wanted === undefined ? undefined : flowVersionOf(await objects.get(keys.flowVersion(origin.workspace, wanted)), wanted);
  // Who may run this flow may not run any other by its number.
  if (flow && flow.path !== origin.path) throw refused(`version ${wanted} is of another flow`);
  if (flow && flow.build.state !== "ready") throw refused(`version ${wanted} is not ready to run`);
  const plan = await loadPlan(restarting, flow?.build.state === "ready" ? flow.build.plan : origin.flow.plan);
  const kept = keptItems(plan, await jobs.children(origin.id, "m#"), asked, refused);
  const loop = await iterationsKept(restarting, origin, plan, asked, refused);
  // Steps get what they are given as it is: nobody gets at secrets by going on with somebody else's run.
  if (origin.email !== actor.email && [...kept, ...loop].some(hidesSecrets)) {
    throw refused("what its steps have yielded holds secrets, which only who ran it may go on with");
  }
  const id = own.id ?? uuidv7();
  if (await jobs.get(id)) throw new SvcError("job.idTaken", { id });
  // Its journal is there before the job is.
  await jobs.putWith(
    [...kept, ...loop].map((item) => ({ ...item, parent: id })),
    [],
  );
  const { kind, path, hash, tag, timeoutS, priority, code } = origin;
  return enqueue(restarting, {
    ...own,
    actor,
    id,
    workspace: origin.workspace,
    kind,
    path,
    hash,
    flow: wanted === undefined ? { n: 0 } : { version: wanted, n: 0 },
    ...(code ? { code: JSON.parse(await load(restarting, origin, code)) as { flow: unknown } } : {}),
    tag,
    timeoutS,
    priority,
    onBehalfOf: flow?.onBehalfOf,
    concurrency: flow?.concurrency,
    args: JSON.parse(await load(restarting, origin, origin.args)) as Record<string, unknown>,
  });
}

function hidesSecrets({ ref, json = "{}" }: Child): boolean {
  const { result, list } = JSON.parse(json) as { result?: { shown?: unknown }; list?: { shown?: unknown } };
  return !ref.startsWith("s#") && (result?.shown !== undefined || list?.shown !== undefined);
}

/** How the modules before the step ended, those inside of them too: later ones may name them. */
function keptItems(
  { value, index }: LoadedPlan,
  items: Child[],
  { step_id: step }: Restart,
  refused: (reason: string) => SvcError,
): Child[] {
  const at = value.modules.findIndex(({ id }) => id === step);
  if (at < 0) throw refused(`its flow has no step ${step} in its own list`);
  const before = new Set(value.modules.slice(0, at).map(({ id }) => id));
  const found = new Map(items.map((item) => [item.ref, item]));
  for (const id of before) {
    const { json } = found.get(`m#${id}@`) ?? {};
    const outcome = json === undefined ? undefined : outcomeSchema.parse(JSON.parse(json));
    if (outcome?.goes !== "next") throw refused(`the step ${id} before it did not come to its end`);
  }
  return items.filter(({ ref }) => {
    const [, id = "", place = ""] = /^m#([^@]*)@(.*)$/.exec(ref) ?? [];
    const scope = index.modules.get(id)?.scope;
    return scope !== undefined && indicesOf(place).length === 0 && [id, ...scope.inside].some((each) => before.has(each));
  });
}

/** Of a loop, or branches one after the other: what those before the wanted one yielded, and what is iterated over. */
async function iterationsKept(
  { jobs }: Restarting,
  origin: Job,
  { index }: LoadedPlan,
  { step_id: step, branch_or_iteration_n: from }: Restart,
  refused: (reason: string) => SvcError,
): Promise<Child[]> {
  if (!from) return [];
  const module = index.modules.get(step)?.module;
  const type = module?.value.type;
  if (type !== "forloopflow" && type !== "whileloopflow" && type !== "branchall")
    throw refused(`the step ${step} is no loop and no branchall`);
  const ref = progressRef(step, ROOT, "");
  const item = await jobs.getChild(origin.id, ref);
  const { list, count, width, index: reached = 0 } = progressSchema.parse(JSON.parse(item?.json ?? "{}"));
  if (!item || from > reached + 1) throw refused(`the step ${step} did not come to number ${from}`);
  const began = Object.fromEntries(Object.entries({ list, count, width, index: from }).filter(([, value]) => value !== undefined));
  const inside = (await jobs.children(origin.id, "")).filter(({ ref: each }) => {
    const [, id = "", place = ""] = /^[ms]#([^@]*)@(.*)$/.exec(each) ?? [];
    const scope = index.modules.get(id)?.scope ?? index.scopes.get(id);
    if (!scope?.inside.includes(step)) return false;
    if (type !== "branchall") return (indicesOf(place)[0] ?? from) < from;
    return branchOf(scope, step) < from;
  });
  return [...inside, { ...item, json: JSON.stringify(began) }];
}

/** The number of the branch of a module that a list is, or stands in. */
function branchOf(scope: NonNullable<ReturnType<LoadedPlan["index"]["scopes"]["get"]>>, module: string): number {
  for (let each: typeof scope | undefined = scope; each; each = each.of?.scope) {
    if (each.of?.module.id === module) return Number(each.name.slice(module.length + 1));
  }
  return Number.POSITIVE_INFINITY;
}
