import { type Command, InvalidArgumentError, Option } from "commander";
import { type Action, run } from "./action.ts";

/** Adds the commands that run scripts and flows, and those that read and cancel their jobs. */
export function addRunCommands(program: Command): void {
  const loadRun = (kind: "runScript" | "runFlow") => async () => (await import("./commands/run.ts"))[kind] as Action;
  for (const [name, kind] of [
    ["script", "runScript"],
    ["flow", "runFlow"],
  ] as const) {
    const group = program.command(name).description(`Run, read and change ${name}s.`);
    run(
      group
        .command("run")
        .description(`Run a ${name}, follow its log and print its result.`)
        .argument("<path>")
        .addOption(new Option("-d, --data <json>", "arguments as a JSON object").argParser(parseObject))
        .option("-s, --silent", "print only the result"),
      loadRun(kind),
    );
  }
  const job = program.command("job").description("Read and cancel jobs.");
  const loadJob = (name: "showLogs" | "showResult" | "cancelJob") => async () => (await import("./commands/run.ts"))[name] as Action;
  run(job.command("logs").description("Print the log of a job.").argument("<id>"), loadJob("showLogs"));
  run(job.command("result").description("Print the result of a job.").argument("<id>"), loadJob("showResult"));
  run(
    job.command("cancel").description("Cancel a job.").argument("<id>").option("--reason <text>", "reason that the job shows"),
    loadJob("cancelJob"),
  );
}

function parseObject(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // The same message is for text that is not JSON.
  }
  throw new InvalidArgumentError("It must be a JSON object.");
}
