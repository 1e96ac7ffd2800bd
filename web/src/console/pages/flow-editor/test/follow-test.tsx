import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { call } from "../../../data/api.ts";
import { runKey, useRun } from "../../run/use-run.ts";
import { resultsKey } from "../step/inputs/newest-results.ts";
import { readTestedSteps, type TestedStep, type TestedSteps } from "./tested-steps.ts";

/** A test that was started: of the flow, or of one step. */
export interface StartedTest {
  job: string;
  /** The step that the test runs alone. Its id in the test can differ. */
  step?: string | undefined;
}

const PER_PAGE = 200;
const READ_AGAIN_MS = 5_000;
const RESULTS = 100;

async function loadTestedSteps(workspace: string, id: string, signal: AbortSignal): Promise<Map<string, TestedStep>> {
  const [steps, jobs] = await Promise.all([
    readTestedSteps((under, onlyFailed) =>
      call.jobs.getFlowOutline({
        workspace,
        id,
        query: { under, only_failed: onlyFailed, per_page: onlyFailed ? 1 : PER_PAGE },
        signal,
      }),
    ),
    call.jobs.list({ workspace, query: { parent_job: id, include_preview: true, per_page: RESULTS }, signal }),
  ]);
  const previews = new Map(jobs.flatMap((job) => (job.type === "CompletedJob" ? [[job.id, job.result_preview] as const] : [])));
  return new Map([...steps].map(([module, step]) => [module, { step, preview: step.job && previews.get(step.job) }]));
}

/** Follows a test, and reports the states and results of its steps whenever they change. */
function useTestedSteps(workspace: string, { job, step }: StartedTest, onTested: (steps: TestedSteps) => void): void {
  const run = useRun(workspace, job);
  const isRunning = run.data?.type !== "CompletedJob";
  const { data } = useQuery({
    queryKey: [...runKey(workspace, job), "tested steps", isRunning],
    queryFn: ({ signal }) => loadTestedSteps(workspace, job, signal),
    refetchInterval: isRunning ? READ_AGAIN_MS : false,
  });
  const queries = useQueryClient();
  useEffect(() => {
    if (!isRunning) void queries.invalidateQueries({ queryKey: resultsKey(workspace) });
  }, [isRunning, queries, workspace]);
  useEffect(() => {
    if (!data) return;
    const alone = step === undefined ? undefined : data.get(`test_${step}`);
    onTested(alone && step !== undefined ? new Map([...data, [step, alone]]) : data);
  }, [data, step, onTested]);
}

/** Shows nothing itself: the steps of the flow show their states. */
export function FollowTest({
  workspace,
  test,
  onTested,
}: {
  workspace: string;
  test: StartedTest;
  onTested: (steps: TestedSteps) => void;
}) {
  useTestedSteps(workspace, test, onTested);
  return null;
}
