import { keepPreviousData, type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { call } from "../../../data/api.ts";
import { testedTypesKey } from "../../../parts/types/tested-types.ts";
import { runKey, useRun } from "../../run/use-run.ts";
import { resultsKey } from "../step/inputs/newest-results.ts";
import { type ChosenIterations, type ReadLevel, readTestedSteps, spanOf, type TestedSteps } from "./tested-steps.ts";

/** A test that was started: of the flow, or of one step. */
export interface StartedTest {
  job: string;
  /** The step that the test runs alone. Its id in the test can differ. */
  step?: string | undefined;
}

const PER_PAGE = 200;
const READ_AGAIN_MS = 5_000;
const RESULTS = 100;

interface Reading {
  queries: QueryClient;
  workspace: string;
  id: string;
  isRunning: boolean;
}

/** Reads levels of a test. Those of an ended one stay, so that another iteration costs only the levels inside it. */
const readerOf =
  ({ queries, workspace, id, isRunning }: Reading): ReadLevel =>
  (under, onlyFailed) =>
    queries.fetchQuery({
      queryKey: [...runKey(workspace, id), "tested level", under, onlyFailed, isRunning],
      queryFn: ({ signal }) =>
        call.jobs.getFlowOutline({
          workspace,
          id,
          query: { under, only_failed: onlyFailed, per_page: onlyFailed ? 1 : PER_PAGE },
          signal,
        }),
      staleTime: isRunning ? 0 : Number.POSITIVE_INFINITY,
    });

async function loadTestedSteps(reading: Reading, chosen: ChosenIterations, signal: AbortSignal): Promise<TestedSteps> {
  const { workspace, id } = reading;
  const listJobs = (times: { created_after?: string; created_before?: string } = {}) =>
    call.jobs.list({ workspace, query: { parent_job: id, include_preview: true, per_page: RESULTS, ...times }, signal });
  const [steps, newest] = await Promise.all([readTestedSteps(readerOf(reading), chosen), listJobs()]);
  const listed = new Set(newest.map((job) => job.id));
  // The jobs of an early iteration are not among the newest ones of a long test.
  const span = newest.length < RESULTS ? undefined : spanOf([...steps.values()].filter(({ step }) => step.job && !listed.has(step.job)));
  const jobs = span ? [...newest, ...(await listJobs(span))] : newest;
  const previews = new Map(jobs.flatMap((job) => (job.type === "CompletedJob" ? [[job.id, job.result_preview] as const] : [])));
  return new Map([...steps].map(([module, tested]) => [module, { ...tested, preview: tested.step.job && previews.get(tested.step.job) }]));
}

interface FollowTestProps {
  workspace: string;
  test: StartedTest;
  chosen: ChosenIterations;
  onTested: (steps: TestedSteps) => void;
}

/** Follows a test, and reports the states and results of its steps whenever they change. Shows nothing itself: the steps show their states. */
export function FollowTest({ workspace, test: { job, step }, chosen, onTested }: FollowTestProps) {
  const run = useRun(workspace, job);
  const isRunning = run.data?.type !== "CompletedJob";
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: [...runKey(workspace, job), "tested steps", isRunning, [...chosen]],
    queryFn: ({ signal }) => loadTestedSteps({ queries, workspace, id: job, isRunning }, chosen, signal),
    placeholderData: keepPreviousData,
    refetchInterval: isRunning ? READ_AGAIN_MS : false,
  });
  useEffect(() => {
    if (isRunning) return;
    void queries.invalidateQueries({ queryKey: resultsKey(workspace) });
    void queries.invalidateQueries({ queryKey: testedTypesKey(workspace) });
  }, [isRunning, queries, workspace]);
  useEffect(() => {
    if (!data) return;
    const alone = step === undefined ? undefined : data.get(`test_${step}`);
    onTested(alone && step !== undefined ? new Map([...data, [step, alone]]) : data);
  }, [data, step, onTested]);
  return null;
}
