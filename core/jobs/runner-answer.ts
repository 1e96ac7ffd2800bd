import { findExcess, MAX_DEPTH, parseExactJson } from "../../contract/json/exact-json.ts";
import { runnerAnswerSchema } from "../../contract/routes/jobs/run-outcome.ts";
import type { RunOutcome } from "../../runners/protocol.ts";

export type RunnerAnswer = { kind: "outcome"; outcome: RunOutcome } | { kind: "lost"; reason: string };

/** The levels of an answer around a result or a reply. */
const ANSWER_LEVELS = 20;

/**
 * Parses the answer of a runner. A runner checks the return value of a script, but a script may answer in its place, so the text is untrusted. An
 * answer that is not an outcome counts as the loss of the runner.
 */
export function parseRunnerAnswer(text: string): RunnerAnswer {
  const lost = (why: string): RunnerAnswer => ({ kind: "lost", reason: `the answer of the runner cannot be used: ${why}` });
  try {
    const excess = findExcess(text, MAX_DEPTH + ANSWER_LEVELS);
    if (excess) return lost(excess);
    const outcome = parseExactJson(text);
    const { error } = runnerAnswerSchema.safeParse(outcome);
    const [issue] = error?.issues ?? [];
    // Returns the value itself, because the schema would drop fields that it does not list.
    return issue
      ? lost(`${issue.path.join(".").slice(0, 100) || "it"} has another type`)
      : { kind: "outcome", outcome: outcome as RunOutcome };
  } catch (error) {
    if (error instanceof SyntaxError) return lost("it is not JSON");
    throw error;
  }
}
