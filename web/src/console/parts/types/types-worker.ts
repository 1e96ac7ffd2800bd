import type { Answer, Question, ScriptContext } from "./question.ts";
import { ScriptTypes } from "./script-types.ts";

export type ToWorker = { id: number; question: Question } | { context: Partial<ScriptContext> };
/** The declarations, which the page loads and sends first: the policy of a worker lets it load nothing. */
export interface Beginning {
  files: Readonly<Record<string, string>>;
}
/** Without an id: the worker has read the declarations, and answers from now on. */
export type FromWorker = { id?: undefined } | { id: number; answer: Answer };

const reply = (message: FromWorker) => postMessage(message);
let types: ScriptTypes | undefined;

addEventListener("message", ({ data }: MessageEvent<ToWorker | Beginning>) => {
  if ("files" in data) {
    types = new ScriptTypes(new Map(Object.entries(data.files)));
    reply({});
  } else if ("context" in data) types?.setContext(data.context);
  else if (types) reply({ id: data.id, answer: types.answer(data.question) });
});
