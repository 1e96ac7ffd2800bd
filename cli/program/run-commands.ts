import { type Command, Option } from "commander";
import { type Action, run } from "./action.ts";
import { data as jsonOption } from "./json-option.ts";
import { parseWhole } from "./parse-whole.ts";

const silent = () => new Option("-s, --silent", "print only the result");

const data = () => jsonOption("arguments as a JSON object");

/** Adds the commands that run scripts and flows, and those for their jobs. */
export function addRunCommands(program: Command): void {
  const loadRun = (kind: "runScript" | "runFlow") => async () => (await import("../commands/jobs/run.ts"))[kind] as Action;
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
        .addOption(data())
        .addOption(silent()),
      "change",
      loadRun(kind),
    );
    addPreviewCommand(group, name);
  }
  addJobCommands(program.command("job").description("Read, cancel and repeat jobs."));
}

const previews = {
  script: { argument: "<file>", description: "a file of the script", load: "previewScript" },
  flow: { argument: "<folder>", description: "the folder of the flow, or its flow.yaml", load: "previewFlow" },
} as const;

function addPreviewCommand(group: Command, name: keyof typeof previews): void {
  const { argument, description, load } = previews[name];
  run(
    group
      .command("preview")
      .description(
        `Run a ${name} as its files here are, without saving it. <${name === "flow" ? "folder" : "file"}>.args.json has its arguments by default.`,
      )
      .argument(argument, description)
      .addOption(data())
      .addOption(silent()),
    "change",
    async () => (await import("../commands/jobs/preview.ts"))[load] as Action,
  );
}

type JobAction = "listJobs" | "getJob" | "showLogs" | "showResult" | "cancelJob" | "rerunJob" | "restartFlow";

function addJobCommands(job: Command): void {
  const load = (name: JobAction) => async () => (await import("../commands/jobs/jobs.ts"))[name] as Action;
  run(
    job
      .command("list")
      .description("List the runs of scripts and flows, the newest first.")
      .option("--path <path>", "only jobs of this script or flow")
      .option("--running", "only jobs that run")
      .option("--failed", "only jobs that failed")
      .option("--all", "also the steps of flows and the builds of scripts and flows")
      .option("--limit <count>", "at most this many", parseWhole(1), 20),
    "read",
    load("listJobs"),
  );
  const withId = (name: string, description: string) => job.command(name).description(description).argument("<id>", "id of the job");
  run(withId("get", "Print a job as JSON."), "read", load("getJob"));
  run(withId("logs", "Print the log of a job, or of every step of a flow."), "read", load("showLogs"));
  run(withId("result", "Print the result of a job."), "read", load("showResult"));
  run(withId("cancel", "Cancel a job.").option("--reason <text>", "reason that the job shows"), "change", load("cancelJob"));
  run(withId("rerun", "Run a job again with the same version and arguments.").addOption(silent()), "change", load("rerunJob"));
  run(
    withId("restart", "Restart an ended flow as a new job. The earlier steps retain their results.")
      .option("--step <id>", "first step to run again; default: the one that failed")
      .option("--iteration <number>", "first iteration or branch of this step, from 0", parseWhole(0))
      .addOption(silent()),
    "change",
    load("restartFlow"),
  );
}
