/** The scripts of the conformance suite in one language. They do the same in every language. */
export interface Programs {
  /** Prints `begun`, waits for some seconds, prints `done` and returns 1. */
  wait: (seconds: number) => string;
  /** Prints 0 to 9 with a pause before each. A character of two UTF-16 units is in front of each number. */
  count: string;
  /** Prints a text of two UTF-16 units that arrives in single bytes, and two bytes that are not valid text. */
  brokenText: string;
  /** Starts a child that sleeps, prints its process id and waits for it. */
  waitForChild: string;
  /** Prints a line of `length` units and returns `through`. */
  printLine: (length: number) => string;
  /** Prints and never ends. */
  endless: string;
  /** Ignores the signals that usually end a process. */
  deaf: string;
  /** Allocates 390 MB. */
  allocate: string;
  /** Prints and fails. The argument may appear nowhere in the runner's own output. */
  fail: string;
  /** Prints `last words`, without a flush, and ends its process without a result. */
  exit: string;
  /** Ends its process by a signal. */
  signal: string;
  /** Leaves a result that is not JSON. */
  malformed: string;
  /** Returns a text. */
  text: (length: number) => string;
  /** Prints its environment and that of a child. */
  environment: string;
  /** Prints the content of its directory, and leaves files there that are hard to remove. */
  litter: string;
  /** Starts processes that try to outlive the run, then waits. The last one leaves its parent, its session, its environment and its directory. */
  hide: (mark: string, seconds: number) => string;
  /** Runs a program of bash and prints its output. */
  shell: (program: string) => string;
  /** Starts a thread that outlives the run and replaces a text in all files of a folder, again and again. For languages that reuse a process. */
  forgeForever?: (folder: string, text: string, by: string) => string;
}

/** More scripts, for the languages whose code svc's wrapper calls inside the interpreter's process. */
export interface InProcessPrograms {
  /** Prints a text that looks like an answer of the host and returns `real`. */
  forge: string;
  /** The preprocessor prints `first` and returns `n` of the body plus 1, `extra` and the query; `main` prints `second` and returns `n`, the query and `extra`. */
  preprocess: string;
  /** The preprocessor fails with `bad signature`; `main` prints. */
  failInPreprocessor: string;
  /** The name of the error of `failInPreprocessor`. */
  preprocessorError: string;
  /** The preprocessor returns `{a: 1}`; `main` fails with `later`. */
  failAfterPreprocessor: string;
  /** The preprocessor returns `{a: 1}`; `main` waits for a minute. */
  waitAfterPreprocessor: string;
  /** Counts its runs in the module, prints `run` with the count and leaves a file. Returns the count, the variable NAME and the files that it found. `what` "throw": fails with `x`; "exit": exits with code 3. */
  countRuns: string;
}

const javascript = {
  own: `import { readdirSync } from "node:fs"; import process from "node:process";
    globalThis.ran = 0;
    export const main = (n) => { console.log("n is", JSON.stringify(n), process.env.NAME ?? "-"); return { ran: ++globalThis.ran, n, files: readdirSync(".") }; };`,
  failAtTwo: "export const main = (n) => { if (n === 2) throw new Error('two'); return n; };",
  text: "export const main = (n) => 'x'.repeat(n);",
  append: `import { appendFileSync, readFileSync } from "node:fs";
    export const main = (n) => { if (n) appendFileSync("shared/deep/words", n + " "); return readFileSync("shared/deep/words", "utf8"); };`,
  /** Runs of one call share the module. */
  sharesModule: true,
};

/** The scripts of several runs in one call, for the languages of which flows execute several steps in one call. */
export const batches = {
  bun: javascript,
  nodejs: javascript,
  deno: javascript,
  python3: {
    own: `
import json, os
ran = 0
def main(n):
    global ran
    ran += 1
    print("n is", json.dumps(n), os.environ.get("NAME", "-"))
    return {"ran": ran, "n": n, "files": os.listdir(".")}`,
    failAtTwo: "def main(n):\n    if n == 2: raise ValueError('two')\n    return n",
    text: "def main(n): return 'x' * n",
    append: `
def main(n=None):
    if n:
        with open("shared/deep/words", "a") as file: file.write(f"{n} ")
    return open("shared/deep/words").read()`,
    /** Each run is a fork of the host. */
    sharesModule: false,
  },
};
