import { useQuery } from "@tanstack/react-query";
import { call } from "../../../data/api.ts";
import { Panel } from "../../../frame/panel.tsx";
import { runKey } from "../use-run.ts";
import { Drawing, type DrawingContext } from "./drawing.tsx";
import { useOutline } from "./outline.ts";

/** Draws the flow of a run with its states. The list view has the same content as text. */
export default function Graph({ workspace, run, ...actions }: Required<DrawingContext>) {
  const flow = useQuery({
    queryKey: [...runKey(workspace, run.id), "flow"],
    queryFn: async ({ signal }) =>
      (await call.jobs.get({ workspace, id: run.id, query: { no_logs: true }, signal })).raw_flow ?? { modules: [] },
    staleTime: Number.POSITIVE_INFINITY,
  });
  const outline = useOutline({ workspace, id: run.id });
  const states = new Map(outline.data?.pages.flat().map((step) => [step.path, step]));
  return (
    <Panel query={flow}>
      {({ modules }) => <Drawing workspace={workspace} run={run} modules={modules} states={states} {...actions} />}
    </Panel>
  );
}
