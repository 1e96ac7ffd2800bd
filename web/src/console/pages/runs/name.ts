import { runsText } from "../../messages/runs.ts";
import type { Run } from "./use-runs.ts";

/** The name of a run in a list. A preview has no path. */
export const nameOf = (run: Pick<Run, "script_path">): string => run.script_path || runsText.preview;
