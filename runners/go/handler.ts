import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { exitError, readAnswer } from "../shared/answers.ts";
import { programLanguage } from "../shared/program-runtime.ts";
import { createHandler } from "../shared/supervise.ts";

/** Runs compiled Go scripts: `main` of the artefact reads SVC_ARGS_PATH and SVC_ENTRYPOINT and answers on file descriptor 3. */
export const handler = createHandler(
  programLanguage({
    name: "go",
    answers: true,
    start(request, artefact, child) {
      const path = join(child.directory, "args.json");
      writeFileSync(path, request.exactArgs ? Buffer.from(request.exactArgs, "base64") : JSON.stringify(request.args), { mode: 0o600 });
      return { command: [join(artefact, "main")], env: { SVC_ARGS_PATH: path, SVC_ENTRYPOINT: request.entrypoint } };
    },
    conclude({ ending, request, artefact, jobDirectory }) {
      if (ending.kind === "answer") return readAnswer(ending.line, { artefact, jobDirectory });
      const exit = ending.kind === "exit" ? ending.exit : { code: null, signal: null };
      // A panic outside the entrypoint's goroutine ends the process with code 2 and writes its text to the log.
      return { ok: false, error: exitError(exit, request.entrypoint) };
    },
  }),
);
