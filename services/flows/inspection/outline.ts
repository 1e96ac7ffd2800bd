import pMap from "p-map";
import { defined } from "../../../contract/defined.ts";
import { SvcError } from "../../../contract/errors.ts";
import type { FlowModule, FlowValue } from "../../../contract/flows/flow-value.ts";
import { isJsonObject } from "../../../contract/json/json-object.ts";
import { limits } from "../../../contract/limits.ts";
import type { OutlineQuery, OutlineStepJson } from "../../../contract/routes/jobs/run-details.ts";
import { summarizeApproval } from "../../../core/approvals/summarize-approval.ts";
import { endFormat, endRef, FAILURE, insidePath, outcomeRef, parseJournalRef, progressRef } from "../../../core/flows/journal.ts";
import {
  countRetries,
  findFailedIteration,
  findInnerList,
  joinAddress,
  type ListAddress,
  type ListRecord,
  listInnerNames,
  type StepRecord,
  summarizeList,
  summarizeStep,
} from "../../../core/flows/outline.ts";
import { bodyScope, type FlowIndex, indexFlow, isContainer, isLoop, mayRequireApproval, ROOT } from "../../../core/flows/scopes.ts";
import { hasEnded, isFlowJob, type Job } from "../../../core/jobs/record/job.ts";
import type { ValueLocation, ValueRef } from "../../../core/jobs/record/value-ref.ts";
import { shortenText } from "../../../core/notifications/event.ts";
import { parseJson, parseReadable } from "../../../core/records/record-format.ts";
import { loadReadableGate } from "../../approvals/gates/change-gate.ts";
import type { Uses } from "../../uses.ts";
import { findEnd, findOutcome, findProgress, type JournalItems, readJournal } from "../runtime/journal.ts";
import { computeStepJobId } from "../runtime/step-job-id.ts";
import { loadFlowValueOfJob } from "./status.ts";

/** The number of concurrent reads, and of items in each. */
const AT_ONCE = 8;
const BATCH = 100;
const PER_PAGE = 100;
const ERROR_CHARS = 300;

/** A flow's job whose outline is read. */
interface OutlinedFlow {
  job: Job;
  value: FlowValue;
  index: FlowIndex;
  ended: boolean;
  /** Whether the caller learns who may decide approvals. */
  namesApprovers: boolean;
}

/** A summary, and the value that contains its error, if it failed. */
interface Row {
  step: OutlineStepJson;
  error?: ValueRef | undefined;
}

interface Page {
  onlyFailed: boolean;
  start: number;
  size: number;
}

/**
 * Returns a page of one level of a flow's outline: the steps of a list, or the iterations or branches of a step. The size of the page
 * and of the flow's definition limit the reads, not the number of steps that have run. `namesApprovers`: the caller may see the run. Throws `query.invalid` for a place that the flow does not have.
 */
export async function loadOutline(
  deps: Uses<"jobs" | "objects" | "storage">,
  job: Job,
  { under, only_failed: onlyFailed = false, page = 1, per_page: size = PER_PAGE }: OutlineQuery,
  namesApprovers = false,
): Promise<OutlineStepJson[]> {
  const value = isFlowJob(job) ? await loadFlowValueOfJob(deps, job, false) : undefined;
  if (!value) return [];
  const flow = { job, value, index: indexFlow(value), ended: hasEnded(job), namesApprovers };
  const location = await findLocation(deps, flow, under ?? "");
  const range = { onlyFailed, start: (Math.max(1, page) - 1) * size, size };
  const rows = "module" in location ? await loadLists(deps, flow, location, range) : await loadSteps(deps, flow, location, range);
  return addErrors(deps, rows);
}

/** A module of which the inner lists are read, and the path inside its last attempt. */
interface Container {
  module: FlowModule;
  record: StepRecord;
  address: string;
  inside: string;
}

async function findLocation(deps: Uses<"jobs">, flow: OutlinedFlow, under: string): Promise<ListAddress | Container> {
  let list: ListAddress = { address: "", scope: ROOT, path: "" };
  const segments = under === "" ? [] : under.split("/");
  for (let at = 0; at < segments.length; at += 2) {
    const [id = "", name] = segments.slice(at, at + 2);
    const module = flow.index.scopes.get(list.scope)?.modules.find((each) => each.id === id);
    if (!module || !isContainer(module)) throw createNoLocation();
    const record = (await loadStepRecords(deps, flow, list, [module])).get(id) ?? {};
    const address = joinAddress(list.address, id);
    const inside = insidePath(id, list.path, countRetries(record));
    if (name === undefined) return { module, record, address, inside };
    const inner = findInnerList(module, name, inside);
    if (!inner) throw createNoLocation();
    list = { ...inner, address: joinAddress(address, name) };
  }
  return list;
}

const createNoLocation = () =>
  new SvcError("query.invalid", {
    issues: [{ path: "under", reason: "must be the path of a loop, a branch or an iteration of this flow" }],
  });

/** The steps of a list. The failure module and the preprocessor appear when they have run. */
async function loadSteps(deps: Uses<"jobs" | "storage">, flow: OutlinedFlow, list: ListAddress, page: Page): Promise<Row[]> {
  const { value, index } = flow;
  const modules = index.scopes.get(list.scope)?.modules ?? [];
  const before = list.scope === ROOT && value.preprocessor_module ? [value.preprocessor_module] : [];
  const after = value.failure_module ? [value.failure_module] : [];
  const all = [...before, ...modules, ...after];
  const asides = await loadStepRecords(deps, flow, list, [...before, ...after]);
  const shown = all.filter((module) => module.id !== FAILURE || asides.get(FAILURE)?.outcome || asides.get(FAILURE)?.job);
  const read = page.onlyFailed ? shown : shown.slice(page.start, page.start + page.size);
  const records = await loadStepRecords(deps, flow, list, read);
  const rows = await pMap(
    read,
    async (module) => {
      const stored = records.get(module.id) ?? {};
      const container = isContainer(module) ? { module, record: stored, inside: insideOf(module, list, stored) } : undefined;
      const record = container ? { ...stored, ...defined({ firstInside: await loadFirstInside(deps, flow, container) }) } : stored;
      const step = summarizeStep(module, list, record, flow.ended);
      const children = container ? await countChildren(deps, flow, container) : {};
      return { step: { ...step, ...children }, error: step.state === "failed" ? record.outcome?.result : undefined };
    },
    { concurrency: AT_ONCE },
  );
  if (!page.onlyFailed) return rows;
  const failed = rows.filter(({ step: { state, failed_children = 0 } }) => state === "failed" || failed_children > 0);
  return failed.slice(page.start, page.start + page.size);
}

const insideOf = ({ id }: FlowModule, list: ListAddress, record: StepRecord) => insidePath(id, list.path, countRetries(record));

/** The job of the first step inside a module, unless other lists are inside that step. It begins when the module does. */
async function loadFirstInside(
  deps: Uses<"jobs">,
  { job, index }: OutlinedFlow,
  { module, record, inside }: Omit<Container, "address">,
): Promise<Job | undefined> {
  const branch = record.outcome?.branch ?? record.progress?.branch;
  const list = findInnerList(module, module.value.type === "branchone" ? String(branch) : "0", inside);
  const first = list && index.scopes.get(list.scope)?.modules[0];
  if (!first || isContainer(first)) return undefined;
  const id = computeStepJobId(job.id, first.id, list.scope, list.path, 0);
  return (await loadHeads(deps, [id])).get(id);
}

/** The number of lists inside a module, and of those that failed. */
async function countChildren(deps: Uses<"jobs">, flow: OutlinedFlow, container: Omit<Container, "address">) {
  const { module, record, inside } = container;
  const names = listInnerNames(module, record.progress ?? {});
  if (!record.outcome && !record.progress) return { children: typeof names === "number" ? 0 : names.length };
  if (typeof names === "number") {
    const { failed, isPartial } = await listFailedIterations(deps, flow, container);
    return { children: names, failed_children: failed.length, ...(isPartial ? { failed_children_partial: true } : {}) };
  }
  const refs = names.flatMap((name) => findInnerList(module, name, inside) ?? []).map(({ scope, path }) => endRef(scope, path));
  const ends = parseReadable([...(await readItems(deps, flow, refs)).values()], endFormat.parse);
  return { children: names.length, failed_children: ends.filter(([, { reason }]) => reason === "failed").length };
}

/** The indexes of the iterations that failed, in their order, found by the ends of their lists in one read. A part of them if it finds too many ends. */
async function listFailedIterations(
  { jobs }: Uses<"jobs">,
  { job }: OutlinedFlow,
  { module, inside }: Pick<Container, "module" | "inside">,
): Promise<{ failed: number[]; isPartial: boolean }> {
  const items = await jobs.listChildren(job.id, endRef(bodyScope(module.id), inside), limits.outlineReads);
  const ends = parseReadable(items, endFormat.parse);
  const failed = ends.flatMap(([{ ref }, end]) => findFailedIteration(inside, parseJournalRef(ref)?.path ?? "", end) ?? []);
  return { failed: failed.sort((a, b) => a - b), isPartial: items.length >= limits.outlineReads };
}

/** The iterations or branches of a module. */
async function loadLists(deps: Uses<"jobs" | "storage">, flow: OutlinedFlow, container: Container, page: Page): Promise<Row[]> {
  const { module, record, address, inside } = container;
  const names = listInnerNames(module, record.progress ?? {});
  const { start, size } = page;
  const all = isLoop(module) && page.onlyFailed ? (await listFailedIterations(deps, flow, container)).failed : names;
  const selected =
    typeof all === "number" ? Array.from({ length: Math.max(0, Math.min(size, all - start)) }, (_, index) => start + index) : all;
  // Branches are few: they are read before the failed ones are selected.
  const read = typeof all === "number" || !isLoop(module) ? selected : selected.slice(start, start + size);
  const lists = read.flatMap((name) => {
    const inner = findInnerList(module, String(name), inside);
    return inner ? [{ ...inner, name: String(name), address: joinAddress(address, name) }] : [];
  });
  const records = await loadListRecords(deps, flow, lists);
  const rows = lists.map((list, index): Row => {
    const found = records[index] ?? { outcomes: [], steps: 0 };
    const step = summarizeList(module, list, { container: record, list: found, flowEnded: flow.ended });
    return { step, error: found.end?.reason === "failed" ? found.end.result : undefined };
  });
  if (isLoop(module)) return rows;
  const shown = page.onlyFailed
    ? rows.filter(({ step: { state, failed_children = 0 } }) => state === "failed" || failed_children > 0)
    : rows;
  return shown.slice(start, start + size);
}

/** Loads the stored states of some modules of a list, by their ids. */
async function loadStepRecords(
  deps: Uses<"jobs">,
  flow: OutlinedFlow,
  { scope, path }: ListAddress,
  modules: readonly FlowModule[],
): Promise<Map<string, StepRecord>> {
  const items = await readItems(
    deps,
    flow,
    modules.flatMap(({ id }) => [outcomeRef(id, scope, path), progressRef(id, scope, path)]),
  );
  const found = modules.map((module) => {
    const record = { outcome: findOutcome(items, module.id, scope, path), progress: findProgress(items, module.id, scope, path) };
    const derived = computeStepJobId(flow.job.id, module.id, scope, path, countRetries(record));
    return { module, record, id: record.outcome ? record.outcome.job : isContainer(module) ? undefined : derived, derived };
  });
  const heads = await loadHeads(
    deps,
    found.flatMap(({ id }) => id ?? []),
  );
  const records = await pMap(
    found,
    async ({ module, record, id, derived }): Promise<[string, StepRecord]> => {
      const gate = mayRequireApproval(module) ? await loadReadableGate(deps, derived) : undefined;
      const approval = gate && summarizeApproval(gate, { flowEnded: flow.ended, namesApprovers: flow.namesApprovers });
      const waitsAs = gate?.opened?.kind === "consent" ? ("awaiting_approval" as const) : ("suspended" as const);
      const shown = approval && { waitsAs, approval };
      return [module.id, { ...record, ...defined({ job: id === undefined ? undefined : heads.get(id), gate: shown }) }];
    },
    { concurrency: AT_ONCE },
  );
  return new Map(records);
}

/** Loads the stored states of some lists. Of lists with many steps, it reads only the outcome of the last step. */
async function loadListRecords(deps: Uses<"jobs">, flow: OutlinedFlow, lists: readonly ListAddress[]): Promise<ListRecord[]> {
  const modulesOf = ({ scope }: ListAddress) => flow.index.scopes.get(scope)?.modules ?? [];
  const isAll = lists.reduce((sum, list) => sum + modulesOf(list).length + 1, 0) <= limits.outlineReads;
  const refs = lists.flatMap((list) => [
    endRef(list.scope, list.path),
    ...modulesOf(list)
      .slice(isAll ? 0 : -1)
      .map(({ id }) => outcomeRef(id, list.scope, list.path)),
  ]);
  const items = await readItems(deps, flow, refs);
  const records = lists.map((list) => {
    const modules = modulesOf(list);
    const end = findEnd(items, list.scope, list.path);
    const outcomes = modules.slice(isAll ? 0 : -1).map(({ id }) => findOutcome(items, id, list.scope, list.path));
    const [first] = modules;
    const firstJob = first && !isContainer(first) ? computeStepJobId(flow.job.id, first.id, list.scope, list.path, 0) : undefined;
    const lastJob = end?.job ?? outcomes.findLast((outcome) => outcome !== undefined)?.job;
    return { list: { ...defined({ end }), outcomes, steps: modules.length }, firstJob, lastJob };
  });
  const heads = await loadHeads(
    deps,
    records.flatMap(({ firstJob, lastJob }) => [firstJob, lastJob].flatMap((id) => id ?? [])),
  );
  return records.map(({ list, firstJob = "", lastJob = "" }) => ({
    ...list,
    ...defined({ first: heads.get(firstJob), last: heads.get(lastJob) }),
  }));
}

/** Adds the errors of failures, as people see them. Values outside of the journal are read for some rows only, and none from S3. */
async function addErrors(deps: Uses<"jobs" | "storage">, rows: readonly Row[]): Promise<OutlineStepJson[]> {
  let left = limits.outlineErrors;
  return pMap(
    rows,
    async ({ step, error }) => {
      if (!error) return step;
      const location = error.redacted ?? error.location;
      if (location.in === "item") left -= 1;
      const found = left < 0 ? undefined : await loadError(deps, error.jobId, location);
      return { ...step, ...defined({ error: found }) };
    },
    { concurrency: AT_ONCE },
  );
}

async function loadError({ jobs }: Uses<"jobs">, jobId: string, location: ValueLocation): Promise<OutlineStepJson["error"]> {
  if (location.in === "s3") return undefined;
  const json = location.in === "head" ? location.json : (await jobs.getChild(jobId, location.ref))?.json;
  // A value is erased with its job.
  if (json === undefined) return undefined;
  const value: unknown = parseJson({ parent: jobId, ref: location.in === "item" ? location.ref : "result", json });
  const error = isJsonObject(value) ? value["error"] : undefined;
  if (!isJsonObject(error)) return undefined;
  const { name, message } = error;
  return { name: shortenText(String(name ?? "Error"), ERROR_CHARS), message: shortenText(String(message ?? ""), ERROR_CHARS) };
}

async function readItems(deps: Uses<"jobs">, { job }: OutlinedFlow, refs: readonly string[]): Promise<JournalItems> {
  const parts = await pMap(toBatches(refs), (part) => readJournal(deps, job, part), { concurrency: AT_ONCE });
  return new Map(parts.flatMap((part) => [...part]));
}

async function loadHeads({ jobs }: Uses<"jobs">, ids: readonly string[]): Promise<Map<string, Job>> {
  const parts = await pMap(toBatches([...new Set(ids)]), (part) => jobs.batchGet([...part]), { concurrency: AT_ONCE });
  return new Map(parts.flat().map((job) => [job.id, job]));
}

const toBatches = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / BATCH) }, (_, at) => all.slice(at * BATCH, (at + 1) * BATCH));
