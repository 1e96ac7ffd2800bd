import type { FlowModule } from "../contract/flows/flow-value.ts";
import { limits } from "../contract/limits.ts";
import { assertNever } from "../contract/utilities/assert-never.ts";
import { FAILURE } from "../core/flows/journal.ts";
import { isLoop, isParallel, isPlain, mayRequireApproval, ROOT, waitsForTaskToken } from "../core/flows/scopes.ts";
import { groupSegments } from "../core/flows/segments.ts";
import { compileBranchAll, compileBranchOne } from "./branches.ts";
import { compileForLoop, compileWhileLoop } from "./loops.ts";
import type { Context, OutcomeCompiler, Target, Targets } from "./machine.ts";
import { compileSegment } from "./segments.ts";

/** Compiles a list of modules, the last one first, because each state names the next one. Returns the first state. */
export function compileModules(context: Context, modules: readonly FlowModule[], to: Targets): Target {
  // Without modules nothing can fail, and the failure module would be an unreachable state.
  if (modules.length === 0) return to.next;
  const fail = failureStates(context, to);
  return groupSegments(context.value, context.scope, modules).reduceRight<Target>((next, { modules: part, segment }) => {
    const targets: Targets = { next, stop: to.stop, fail };
    if (segment) return compileSegment(context, part, targets);
    return part.reduceRight<Target>((after, module) => compileModule(context, module, { ...targets, next: after }), next);
  }, to.next);
}

/** Each list has its own copy of the flow's failure module, which handles a failure in that list. */
function failureStates(context: Context, to: Targets): Target {
  const { failure_module: module } = context.value;
  return module ? compileModule(context, module, { next: to.fail, stop: to.fail, fail: to.fail }) : to.fail;
}

const outcomeCompilers: Partial<Record<FlowModule["value"]["type"], OutcomeCompiler>> = {
  branchone: compileBranchOne,
  branchall: compileBranchAll,
  forloopflow: compileForLoop,
  whileloopflow: compileWhileLoop,
};

const COMMENT_CHARS = 200;

/** The name of the state that waits for its token: from a gate, or from the job of another flow. */
const waitName = (module: FlowModule) => `${module.id}: ${mayRequireApproval(module) ? "wait for approval" : "wait for flow"}`;

/** The name of the Choice state after a task. */
function choiceName({ id, value }: FlowModule): string {
  switch (value.type) {
    case "forloopflow":
    case "whileloopflow":
      return `${id}: next item`;
    case "branchall":
      return `${id}: next branch`;
    case "branchone":
      return `${id}: choose branch`;
    case "script":
    case "rawscript":
    case "flow":
    case "identity":
    case "consentgate":
    case "aiagent":
      return `${id}: check outcome`;
    default:
      return assertNever(value);
  }
}

/** Seconds until a waiting task times out and the module is entered again. A nested flow has no such limit. */
function waitTimeoutS({ value, suspend }: FlowModule): number | undefined {
  if (value.type === "flow") return undefined;
  if (value.type === "consentgate") return value.timeout ?? undefined;
  return suspend?.timeout ?? limits.suspendTimeoutS;
}

/** Compiles one module: a task and, if it has more outcomes than success and failure, a Choice state after the task. */
export function compileModule(context: Context, module: FlowModule, to: Targets): string {
  const { machine, scope } = context;
  const { id, summary } = module;
  const where = id === FAILURE && scope !== ROOT ? `${id} in ${scope}` : id;
  const name = machine.reserveName(summary ? `${where} ${summary}` : where);
  const parallel = isParallel(module) ? (isLoop(module) ? { window: "sliding" } : { continues: "again" }) : {};
  const input = { module: id, scope, ...parallel };
  const comment = `${module.value.type}${summary ? `: ${[...summary].slice(0, COMMENT_CHARS).join("")}` : ""}`;
  if (isPlain(module)) return machine.addTask(name, input, { next: to.next, fail: to.fail, comment });
  const choice = machine.reserveName(choiceName(module));
  const wait = waitsForTaskToken(module) ? machine.reserveName(waitName(module)) : "";
  const resumesAt = mayRequireApproval(module) ? { untilS: waitTimeoutS(module), resumesAt: choice } : {};
  machine.addTask(name, input, { next: choice, fail: to.fail, returnsState: true, comment });
  machine.addChoice(
    choice,
    {
      fail: to.fail,
      ...(module.stop_after_if || module.stop_after_all_iters_if || outcomeCompilers[module.value.type] ? { stop: to.stop } : {}),
      ...(module.retry ? { retry: machine.addWait(machine.reserveName(`${id}: wait before retry`), name) } : {}),
      ...(module.sleep ? { sleep: machine.addWait(machine.reserveName(`${id}: sleep`), to.next) } : {}),
      ...(waitsForTaskToken(module) ? { wait: machine.addWaitTask(wait, input, name, resumesAt) } : {}),
      // The callback contains no next state, so the module is entered again.
      ...(mayRequireApproval(module) ? { "enter again": name } : {}),
      ...outcomeCompilers[module.value.type]?.(context, module, name),
    },
    to.next,
  );
  return name;
}
