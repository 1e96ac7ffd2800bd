import { execFileSync } from "node:child_process";

interface Owned {
  dir: string;
  outputs: Readonly<Record<string, string>>;
}

export interface Process {
  pid: number;
  parent: number;
  command: string;
}

export function processes(): Process[] {
  const listing = execFileSync("ps", ["-axo", "pid=,ppid=,command="], { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  return listing.split("\n").flatMap((line) => {
    const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return command === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
  });
}

/** The deployed name of a function: by its stack output, or of a language's runner. */
function functionName({ outputs }: Owned, which: { output: string } | { runner: string }): string {
  const name =
    "output" in which
      ? outputs[which.output]
      : (JSON.parse(outputs["RunnerFunctions"] ?? "{}") as Record<string, string | undefined>)[which.runner];
  if (!name) throw new Error(`The stack names no function ${JSON.stringify(which)}.`);
  return name;
}

/** The engine's processes that serve one function of this instance, and of no other: its folder is in their command. */
function functionProcesses(instance: Owned, name: string): Process[] {
  const marker = `${instance.dir}/engine/tmp/ministack-lambda-${name}-`;
  return processes().filter(({ command }) => command.includes(marker) && /_worker\.(js|py)/.test(command));
}

/** Ends a function's processes as a crash would; returns their number. */
export function crashFunction(instance: Owned, which: { output: string } | { runner: string }): number {
  const serving = functionProcesses(instance, functionName(instance, which));
  for (const { pid } of serving) process.kill(pid, "SIGKILL");
  return serving.length;
}

/** Suspends a function's processes until `goOn`. Callers wait. */
export function freezeFunction(instance: Owned, which: { output: string } | { runner: string }): { goOn: () => void } {
  const serving = functionProcesses(instance, functionName(instance, which));
  if (serving.length === 0) throw new Error(`No process serves ${JSON.stringify(which)} yet.`);
  const signal = (name: NodeJS.Signals) => {
    for (const { pid } of serving) process.kill(pid, name);
  };
  signal("SIGSTOP");
  return { goOn: () => signal("SIGCONT") };
}
