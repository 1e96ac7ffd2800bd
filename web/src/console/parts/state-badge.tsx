import type { RunState } from "../data/run-state.ts";
import { stateText } from "../messages/frame.ts";

/** The state of a run in words. The colour repeats them. */
export function StateBadge({ state }: { state: RunState }) {
  return (
    <span className="state" data-state={state}>
      {stateText[state]}
    </span>
  );
}
