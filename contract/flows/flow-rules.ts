import { limits } from "../limits.ts";
import { receivesByUrl } from "../notices/channels.ts";
import { assertNever } from "../utilities/assert-never.ts";
import type { FlowModule, FlowValue } from "./flow-value.ts";

/** A fault at one place of a flow. */
interface Fault {
  path: (string | number)[];
  message: string;
}
type Path = Fault["path"];

/** A module, its path, and the number of enclosing modules. */
interface Found {
  module: FlowModule;
  path: Path;
  around: number;
  /** The construct that makes the module share a working directory with others. */
  construct: string | undefined;
}

const RESERVED = ["failure", "preprocessor"];
/** The form of a step's id. Any other text is an expression. */
const STEP_ID = /^[A-Za-z0-9_-]+$/;

/** Checks the rules of a flow beyond the shape of each field. Returns one fault for each place. */
export function checkFlowRules(value: FlowValue): Fault[] {
  const steps = [...modulesIn(value.modules, ["modules"], 0, value.same_worker ? "flow with same_worker" : undefined)];
  const beside = RESERVED.flatMap((id) => {
    const name = `${id}_module`;
    const module = value[name] as FlowModule | null | undefined;
    return module ? [{ module, path: [name], around: 0, construct: undefined }] : [];
  });
  return [
    ...idFaults(steps),
    ...steps.filter(({ around }) => around === limits.flowNesting + 1).map(({ path }) => tooDeep(path)),
    ...[...steps, ...beside].flatMap(moduleFaults),
    ...earlyReturnFaults(value),
  ];
}

/** All modules in document order. The contents of modules that are nested too deeply are omitted. */
function* modulesIn(modules: readonly FlowModule[], at: Path, around: number, outer: string | undefined): Generator<Found> {
  for (const [index, module] of modules.entries()) {
    const path = [...at, index];
    const construct = outer ?? (module.segment ? "segment" : undefined);
    yield { module, path, around, construct };
    if (around > limits.flowNesting) return;
    for (const [inner, name] of listsIn(module)) yield* modulesIn(inner, [...path, "value", ...name], around + 1, construct);
  }
}

function listsIn({ value }: FlowModule): [readonly FlowModule[], Path][] {
  switch (value.type) {
    case "forloopflow":
    case "whileloopflow":
      return [[value.modules, ["modules"]]];
    case "branchone":
    case "branchall": {
      const branches = value.branches.map(({ modules }, index): [readonly FlowModule[], Path] => [modules, ["branches", index, "modules"]]);
      return value.type === "branchone" ? [...branches, [value.default ?? [], ["default"]]] : branches;
    }
    case "script":
    case "rawscript":
    case "flow":
    case "identity":
    case "consentgate":
    case "aiagent":
      return [];
    default:
      return assertNever(value);
  }
}

const tooDeep = (path: Path): Fault => ({
  path,
  message: `is nested in more than ${limits.flowNesting} loops and branches: move the inner steps into another flow and call it`,
});

function idFaults(steps: readonly Found[]): Fault[] {
  const seen = new Map<string, Path>();
  return steps.flatMap(({ module: { id }, path }) => {
    const first = seen.get(id);
    if (!first) seen.set(id, path);
    if (RESERVED.includes(id)) return [{ path: [...path, "id"], message: `is reserved as the id of the ${id}_module` }];
    return first ? [{ path: [...path, "id"], message: `is already the id of value.${first.join(".")}` }] : [];
  });
}

function moduleFaults({ module, path, construct }: Found): Fault[] {
  const { value, retry, stop_after_all_iters_if: allIters } = module;
  const faults: Fault[] = [];
  const loops = value.type === "forloopflow" || value.type === "whileloopflow";
  if (allIters && !loops && value.type !== "branchall") {
    faults.push({
      path: [...path, "stop_after_all_iters_if"],
      message: "is only for loops and branchall: use stop_after_if for other modules",
    });
  }
  if (construct && (loops || value.type === "branchall") && value.parallel) {
    faults.push({
      path: [...path, "value", "parallel"],
      message: `is not possible in a ${construct}, because its steps share one working directory`,
    });
  }
  return [...faults, ...retryFaults(retry, [...path, "retry"]), ...consentFaults(value, [...path, "value"])];
}

const PRINCIPAL = /^([ug]\/[A-Za-z0-9_-]{1,100}|role:admin|[^\s@/]+@[^\s@/]+)$/;

/** Every approver must have a valid form, and a webhook needs a URL. */
function consentFaults(value: FlowModule["value"], path: Path): Fault[] {
  if (value.type !== "consentgate") return [];
  const named = [
    ...value.approvers.map((name, index) => ({ name, path: [...path, "approvers", index] })),
    ...(value.escalate?.approvers ?? []).map((name, index) => ({ name, path: [...path, "escalate", "approvers", index] })),
  ];
  const unknown = named.filter(({ name }) => !PRINCIPAL.test(name));
  const { channel, url, resource_path: resource } = value.notification ?? {};
  const nowhere = channel && receivesByUrl(channel) && !url;
  return [
    ...unknown.map((at) => ({ path: at.path, message: "must be u/<user>, g/<group>, role:admin or an e-mail address" })),
    ...(nowhere ? [{ path: [...path, "notification", "url"], message: "is missing: the URL of the webhook" }] : []),
    ...(channel === "chat" && !resource
      ? [{ path: [...path, "notification", "resource_path"], message: "is missing: the path of the resource of the chat application" }]
      : []),
  ];
}

/** An empty retry policy means no retries. A policy with a delay or a condition needs a number of attempts. */
function retryFaults(retry: FlowModule["retry"], path: Path): Fault[] {
  if (!retry) return [];
  const { constant, exponential, retry_if: predicate } = retry;
  const without = Object.entries({ constant, exponential }).flatMap(([name, policy]) => {
    const empty = !policy || Object.keys(policy).length === 0 || typeof policy.attempts === "number";
    return empty ? [] : [{ path: [...path, name, "attempts"], message: "is missing: the number of retries" }];
  });
  if (without.length > 0 || !predicate || [constant, exponential].some((policy) => typeof policy?.attempts === "number")) return without;
  return [{ path, message: "defines a condition but no number of retries: set attempts in constant or exponential" }];
}

/** A step within a loop or branch may have several results, or none. */
function earlyReturnFaults({ early_return: earlyReturn, modules }: FlowValue): Fault[] {
  if (!earlyReturn || !STEP_ID.test(earlyReturn) || modules.some(({ id }) => id === earlyReturn)) return [];
  return [{ path: ["early_return"], message: `is not the id of a top-level step of the flow: ${earlyReturn.slice(0, 80)}` }];
}
