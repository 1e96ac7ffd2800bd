import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Refused } from "../../../../../shared/service.ts";
import { call } from "../../../../data/api.ts";
import { stepText as text } from "../../../../messages/editor/step.ts";
import { AddChoice } from "../add-choice.tsx";
import { type StepContext, useStepContext } from "../context.ts";
import { readNewestResults, resultsKey } from "./newest-results.ts";
import { listParts, pathOf, type ReadableValue, resultOf } from "./values.ts";

/** Each step is one request, made when the picker is opened. */
const MOST_STEPS = 20;
/** The newest run, and those before it for the steps that did not run in it. */
const MOST_RUNS = 5;
const PER_PAGE = 200;

/** Lists the last runs and tests of the flow, newest first. */
export async function listLastRuns({ workspace, path, lastJob }: StepContext, signal: AbortSignal): Promise<string[]> {
  const query = { script_path_exact: path, job_kinds: "flow,flowpreview", per_page: MOST_RUNS };
  const listed = path === "" ? [] : await call.jobs.list({ workspace, query, signal });
  return [...new Set([...(lastJob === undefined ? [] : [lastJob]), ...listed.map(({ id }) => id)])].slice(0, MOST_RUNS);
}

/** Reads the newest results that runs and tests of the flow have stored. A step that has not run has none. */
export async function loadResults(context: StepContext, signal: AbortSignal): Promise<Record<string, unknown>> {
  const { workspace, before, topOf } = context;
  if (before.length === 0) return {};
  return readNewestResults(await listLastRuns(context, signal), before.slice(-MOST_STEPS), {
    topOf,
    readSteps: (id) => call.jobs.getFlowOutline({ workspace, id, query: { per_page: PER_PAGE }, signal }),
    readResult: async (id, node) => {
      try {
        return { result: await call.jobs.getStepResult({ workspace, id, node, signal }) };
      } catch (error) {
        if (error instanceof Refused && [403, 404].includes(error.status)) return undefined;
        throw error;
      }
    },
  });
}

/** The results of the steps before, of the newest runs. */
export function useLastResults(context: StepContext, enabled: boolean) {
  return useQuery({
    queryKey: [...resultsKey(context.workspace), context.path, context.lastJob, context.before],
    queryFn: ({ signal }) => loadResults(context, signal),
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The names of the iterations that a step in loops reads, the innermost one first. */
const iterationNames = (loops: number) => Array.from({ length: loops }, (_, outer) => `iter${"_parent".repeat(outer)}`);

function groupsOf({ id, before, loops, afterApproval, inputNames, environment }: StepContext, results: Readonly<Record<string, unknown>>) {
  const plain = (expression: string): ReadableValue => ({ expression, preview: "" });
  const ofSteps = [...before].reverse().map((id) => ({
    group: text.resultOf(id),
    values: Object.hasOwn(results, id) ? listParts(resultOf(id), results[id]) : [plain(resultOf(id))],
  }));
  return [
    ...(loops > 0
      ? [
          {
            group: text.loop,
            values: iterationNames(loops).flatMap((iteration) =>
              ["value", "index"].map((name) => plain(pathOf("flow_input", [iteration, name]))),
            ),
          },
        ]
      : []),
    ...(afterApproval ? [{ group: text.approval, values: ["resume", "resumes", "approvers"].map(plain) }] : []),
    { group: text.flowInput, values: [plain("flow_input"), ...inputNames.map((name) => plain(pathOf("flow_input", [name])))] },
    ...ofSteps,
    {
      group: text.others,
      values: [plain("previous_result"), ...(id === "failure" ? [plain("error")] : []), ...listParts("flow_env", environment)],
    },
  ];
}

interface ValuePickerProps {
  label: string;
  onPick: (expression: string) => void;
}

/** Chooses a value that an expression can read: fields of earlier results, the flow's inputs, a loop's value, an approval. */
export function ValuePicker({ label, onPick }: ValuePickerProps) {
  const context = useStepContext();
  const [isOpened, setIsOpened] = useState(false);
  const results = useLastResults(context, isOpened);
  const data = groupsOf(context, results.data ?? {}).map(({ group, values }) => ({
    group,
    items: values.map(({ expression, preview }) => ({ value: expression, label: preview ? `${expression} – ${preview}` : expression })),
  }));
  return (
    <AddChoice
      label={label}
      placeholder={text.insert}
      error={results.error?.message}
      limit={200}
      data={data}
      onOpen={() => setIsOpened(true)}
      onAdd={onPick}
    />
  );
}
