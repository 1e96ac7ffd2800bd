/**
 * The scripts of the conformance suite: each does the same in every language. Bash stands for the supervisor that is hosted in Node, which the
 * TypeScript languages and Go share; Python has a supervisor of its own.
 */
export const programs = {
  /** Prints `begun`, waits for some seconds, prints `done` and returns 1. */
  wait: {
    bash: (seconds: number) => `echo begun; sleep ${seconds}; echo done; echo 1 > result.json`,
    python3: (seconds: number) =>
      `import time\ndef main():\n    print("begun")\n    time.sleep(${seconds})\n    print("done")\n    return 1`,
  },
  /** Prints 0 to 9 with a pause before each. */
  count: {
    bash: "for n in 0 1 2 3 4 5 6 7 8 9; do sleep 0.3; echo $n; done",
    python3: "import time\ndef main():\n    for n in range(10):\n        time.sleep(0.3)\n        print(n)",
  },
  /** Prints a text of two UTF-16 units that arrives in single bytes, and two bytes that are no text. */
  brokenText: {
    bash: "for b in f0 9d 84 9e; do printf \"\\\\x$b\"; sleep 0.01; done; printf '\\xff|\\xf0\\x9d'",
    python3:
      "import os, time\ndef main():\n    for byte in '𝄞'.encode():\n        os.write(1, bytes([byte]))\n        time.sleep(0.01)\n    os.write(1, b'\\xff|\\xf0\\x9d')",
  },
  /** Starts a child that sleeps, prints its process id and waits for it. */
  waitForChild: {
    bash: "sleep 300 & echo $!; wait",
    python3:
      "import subprocess\ndef main():\n    child = subprocess.Popen(['sleep', '300'])\n    print(child.pid, flush=True)\n    child.wait()",
  },
  /** Prints a line of `length` units and returns `through`. */
  printLine: {
    bash: (length: number) => `head -c ${length} /dev/zero | tr '\\0' x; echo through > result.out`,
    python3: (length: number) => `def main():\n    print('x' * ${length}, end='')\n    return 'through'`,
  },
  /** Prints and never ends. */
  endless: { bash: "echo begun; while :; do :; done", python3: "def main():\n    print('begun')\n    while True: pass" },
  /** Ignores the signals that usually end a process. */
  deaf: {
    bash: "trap '' TERM INT HUP; while :; do sleep 60; done",
    python3: "import signal, time\nfor s in (15, 2, 1):\n    signal.signal(s, signal.SIG_IGN)\ndef main():\n    time.sleep(60)",
  },
  /** Allocates 390 MB. */
  allocate: {
    bash: "head -c 400000000 /dev/zero | tail -c 390000000 | sleep 300",
    python3: "import time\ndef main():\n    held = [bytearray(1 << 20) for _ in range(390)]\n    time.sleep(30)",
  },
  /** Prints and fails. The argument may appear nowhere in the runner's own output. */
  fail: { bash: "echo user-output; exit 1", python3: "def main(a):\n    print('user-output')\n    raise ValueError('user-message')" },
  /** Ends its process without a result. */
  exit: {
    bash: "echo 'last words'; exit 4",
    python3: "import os\ndef main():\n    print('last words', flush=True)\n    os._exit(4)",
  },
  /** Ends its process by a signal. */
  signal: { bash: "kill -KILL $$", python3: "import os, signal\ndef main():\n    os.kill(os.getpid(), signal.SIGKILL)" },
  /** Leaves a result that is no JSON. */
  malformed: { bash: "echo '{' > result.json", python3: "def main():\n    return object()" },
  /** Returns a text. */
  text: {
    bash: (length: number) => `head -c ${length} /dev/zero | tr '\\0' x > result.out`,
    python3: (length: number) => `def main():\n    return 'x' * ${length}`,
  },
  /** Prints its environment and that of a child. */
  environment: {
    bash: "env; bash -c env",
    python3:
      "import os, subprocess\ndef main():\n    for item in os.environ.items(): print('='.join(item), flush=True)\n    subprocess.run(['env'])",
  },
  /** Prints what is in its directory, and leaves files there that are hard to remove. */
  litter: {
    bash: `echo "$(ls -A)|$(ls -A tmp)|$([ "$PWD" = "$HOME" ] && echo home)|$(ls -ld . | cut -c1-10)"; touch left.txt; mkdir -p tmp/locked/inner; chmod 500 tmp/locked`,
    python3: `
import os, stat
def main():
    home = "home" if os.getcwd() == os.environ["HOME"] else ""
    print("|".join([" ".join(os.listdir(".")), " ".join(os.listdir("tmp")), home, stat.filemode(os.stat(".").st_mode)]))
    open("left.txt", "w").close()
    os.makedirs("tmp/locked/inner")
    os.chmod("tmp/locked", 0o500)`,
  },
  /** Starts processes that try to outlive the run, then waits. */
  hide: {
    bash: (mark: string, seconds: number) =>
      `sleep ${mark} & setsid sleep ${mark} & (env -i setsid sleep ${mark} > /dev/null 2>&1 &); sleep ${seconds}`,
    python3: (mark: string, seconds: number) => `
import subprocess, time
def main():
    subprocess.Popen(["sleep", "${mark}"])
    subprocess.Popen(["sleep", "${mark}"], start_new_session=True)
    subprocess.Popen(["env", "-i", "setsid", "sleep", "${mark}"], start_new_session=True)
    time.sleep(${seconds})`,
  },
};

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

/** The scripts of several runs in one call, for the languages that flows execute so. */
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
