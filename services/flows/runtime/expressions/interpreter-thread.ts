import { readlinkSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import {
  type Evaluation,
  type Interpretation,
  interpretExpression,
  isTrap,
  loadInterpreter,
} from "../../../../core/expressions/interpret.ts";

/** The file that contains this module, in the sources or in a function's bundle: a thread starts with it. */
export const threadUrl = new URL(import.meta.url);
/** Marks a thread as the interpreter's. The main thread also imports this module, for its URL. */
export const threadData = "svc-expressions";

/** The reply of a thread. After `broken` its interpreter cannot be used again. */
export type ThreadReply = Interpretation & { broken?: true };

if (parentPort && workerData === threadData) {
  const port = parentPort;
  const interpreter = await loadInterpreter();
  const interpret = (evaluation: Evaluation): ThreadReply => {
    try {
      return interpretExpression(interpreter, evaluation);
    } catch (error) {
      if (!isTrap(error)) throw error;
      return { ok: false, reason: "it exceeded the memory or stack limit of the interpreter.", broken: true };
    }
  };
  port.on("message", (evaluation: Evaluation) => port.postMessage(interpret(evaluation)));
  // The first message states that the interpreter is loaded: the time until then does not count for an expression.
  port.postMessage(findThread());
}

/** Returns the folder in which Linux describes this thread; empty on other systems. */
function findThread(): string {
  try {
    return `/proc/${readlinkSync("/proc/thread-self")}`;
  } catch {
    // Other systems have no such folder.
    return "";
  }
}
