import type { FlowModule } from "../contract/flow-value.ts";
import { limits } from "../contract/limits.ts";
import { FAILURE } from "../core/flows/journal.ts";
import { asksPeople, isPlain, ROOT, waitsForOthers } from "../core/flows/scopes.ts";
import { segmentGroups } from "../core/flows/segments.ts";
import { branchAll, branchOne } from "./branches.ts";
import { forLoop, whileLoop } from "./loops.ts";
import type { Context, Target, Targets, Ways } from "./machine.ts";
import { segmentStates } from "./segments.ts";

/** One list of modules, the last one first: each must know where it leads. Answers where the list begins. */
export function modulesStates(context: Context, modules: readonly FlowModule[], to: Targets): Target {
  // No state without a way to it: where nothing runs, nothing fails.
  if (modules.length === 0) return to.next;
  const fail = failureStates(context, to);
  return segmentGroups(context.value, context.scope, modules).reduceRight<Target>((next, { modules: part, segment }) => {
    const targets: Targets = { next, stop: to.stop, fail };
    if (segment) return segmentStates(context, part, targets);
    return part.reduceRight<Target>((after, module) => moduleStates(context, module, { ...targets, next: after }), next);
  }, to.next);
}

/** Each list has the flow's failure module for itself: what fails in it is mended, or told, there. */
function failureStates(context: Context, to: Targets): Target {
  const { failure_module: module } = context.value;
  return module ? moduleStates(context, module, { next: to.fail, stop: to.fail, fail: to.fail }) : to.fail;
}

const ways: Partial<Record<FlowModule["value"]["type"], Ways>> = {
  branchone: branchOne,
  branchall: branchAll,
  forloopflow: forLoop,
  whileloopflow: whileLoop,
};

const COMMENT_CHARS = 200;

/** Who the task's token is given to: the job of another flow, or those who are asked. Then the task looks at what came of it. */
const untilWhat = (module: FlowModule) => (asksPeople(module) ? "until it is decided" : "until it has ended");

/** After so long it looks by itself. A flow inside may take longer than those who are asked about it. */
function waitsS({ value, suspend }: FlowModule): number | undefined {
  if (value.type === "flow") return undefined;
  if (value.type === "consentgate") return value.timeout ?? undefined;
  return suspend?.timeout ?? limits.suspendTimeoutS;
}

/** The states of one module: one task and, where more than success and failure may come of it, a choice behind it. */
export function moduleStates(context: Context, module: FlowModule, to: Targets): string {
  const { machine, scope } = context;
  const { id, summary } = module;
  const where = id === FAILURE && scope !== ROOT ? `${id} in ${scope}` : id;
  const name = machine.name(summary ? `${where} ${summary}` : where);
  const input = { module: id, scope };
  const comment = `${module.value.type}${summary ? `: ${[...summary].slice(0, COMMENT_CHARS).join("")}` : ""}`;
  if (isPlain(module)) return machine.task(name, input, { next: to.next, fail: to.fail, comment });
  const decide = machine.name(`${id} what next`);
  const held = waitsForOthers(module) ? machine.name(`${id} ${untilWhat(module)}`) : "";
  const goesOn = asksPeople(module) ? { untilS: waitsS(module), goesOn: decide } : {};
  machine.task(name, input, { next: decide, fail: to.fail, answers: true, comment });
  machine.choice(
    decide,
    {
      fail: to.fail,
      ...(module.stop_after_if || module.stop_after_all_iters_if || ways[module.value.type] ? { stop: to.stop } : {}),
      ...(module.retry ? { retry: machine.wait(machine.name(`${id} wait for retry`), name) } : {}),
      ...(module.sleep ? { sleep: machine.wait(machine.name(`${id} sleep`), to.next) } : {}),
      ...(waitsForOthers(module) ? { wait: machine.hold(held, input, name, goesOn) } : {}),
      // What has told the task to go on does not know where.
      ...(asksPeople(module) ? { look: name } : {}),
      ...ways[module.value.type]?.(context, module, name),
    },
    to.next,
  );
  return name;
}
