import type { RunRequest } from "../protocol.ts";
import { type Conclusion, type Ending, Lines } from "./answers.ts";
import { Child, type ChildOptions } from "./process/child.ts";
import { refillPipes } from "./process/pipes.ts";
import { jobVariables } from "./script-runtime.ts";
import type { Job, Language } from "./supervise.ts";

/** The differences between languages of plain programs (go, bash) for the supervisor. */
export interface Program {
  name: RunRequest["language"];
  /** The program answers on file descriptor 3, and its job ends with the answer. */
  answers: boolean;
  /** Prepares the command. It may write into `child.directory`, which is not the program's working directory. */
  start(request: RunRequest, artefact: string, child: Child): Pick<ChildOptions, "command" | "env">;
  conclude(end: ProgramEnd): Conclusion;
}

export interface ProgramEnd {
  ending: Ending;
  request: RunRequest;
  artefact: string;
  jobDirectory: string;
  /** The last line of output that is not empty; undefined when there was none. */
  lastLine: string | undefined;
}

/** Creates a language that starts a new process for every job. */
export function programLanguage(program: Program): Language {
  return {
    name: program.name,
    prepare: refillPipes,
    open: (request, artefact, placeShared) => new ProgramJob(program, request, artefact, placeShared),
  };
}

/** A longer last line is cut to its end. */
const MAX_LINE_BYTES = 1024 * 1024;

class ProgramJob implements Job {
  readonly child: Child;
  readonly fresh = true;
  readonly shared = false;
  readonly ended: Promise<Ending>;
  readonly #program: Program;
  readonly #request: RunRequest;
  readonly #artefact: string;
  #tail: Buffer = Buffer.alloc(0);

  constructor(program: Program, request: RunRequest, artefact: string, placeShared: (jobDirectory: string) => void) {
    this.#program = program;
    this.#request = request;
    this.#artefact = artefact;
    const ended = Promise.withResolvers<Ending>();
    this.ended = ended.promise;
    this.child = new Child((child) => {
      placeShared(child.jobDirectory);
      const { command, env } = program.start(request, artefact, child);
      return { command, env: { ...jobVariables(request.env), ...env }, answers: program.answers, commands: false };
    });
    const lines = new Lines();
    lines.maxBytes = request.maxResultBytes + 256 * 1024;
    lines.onLine = (line) => ended.resolve({ kind: "answer", line });
    lines.onOverflow = () => ended.resolve({ kind: "tooLarge" });
    if (this.child.answers) this.child.answers.onData = (chunk) => lines.push(chunk);
    void this.child.exited.then((exit) => {
      this.child.answers?.drain();
      ended.resolve({ kind: "exit", exit });
    });
  }

  /** Does nothing: the process received its job when it started. */
  startRun(): void {}

  onOutput(chunk: Buffer): void {
    // Only the last line that has text is needed.
    let tail = this.#tail.length > 0 ? Buffer.concat([this.#tail, chunk]) : chunk;
    let end = tail.length;
    while (end > 0 && (tail[end - 1] === 10 || tail[end - 1] === 13)) end--;
    const start = end > 0 ? tail.lastIndexOf(10, end - 1) + 1 : 0;
    tail = tail.subarray(Math.max(start, tail.length - MAX_LINE_BYTES));
    this.#tail = tail;
  }

  async settle(): Promise<void> {
    this.child.kill();
  }

  conclude(ending: Ending): Conclusion {
    const text = this.#tail.toString("utf8").replace(/[\r\n]+$/, "");
    return this.#program.conclude({
      ending,
      request: this.#request,
      artefact: this.#artefact,
      jobDirectory: this.child.jobDirectory,
      lastLine: text === "" ? undefined : text,
    });
  }

  async release(): Promise<void> {
    this.child.dispose();
  }
}
