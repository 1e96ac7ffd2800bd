import type { Context } from "../../context.ts";
import { CommandError, UsageError } from "../../errors.ts";
import { runJob } from "../../run/run-job.ts";

interface RunFlags {
  data?: Record<string, unknown>;
  silent?: boolean;
}
/** The part of a JSON Schema that is read. */
interface Parameters {
  required?: string[];
  properties?: Record<string, { default?: unknown }>;
}
interface Runnable {
  schema?: unknown;
}

export async function runScript(context: Context, path: string, flags: RunFlags): Promise<number> {
  if (flags.data === undefined) requireNoArguments(`script ${path}`, await context.client().find.scripts.getByPath({ path }));
  return runJob(context, { name: "jobs.run.scripts", input: { path, body: flags.data ?? {} }, kind: "script" }, flags);
}

export async function runFlow(context: Context, path: string, flags: RunFlags): Promise<number> {
  if (flags.data === undefined) requireNoArguments(`flow ${path}`, await context.client().find.flows.get({ path }));
  return runJob(context, { name: "jobs.run.flows", input: { path, body: flags.data ?? {} }, kind: "flow" }, flags);
}

/** A run without required arguments would only fail later. */
function requireNoArguments(name: string, found: Runnable | undefined): void {
  if (found === undefined) throw new CommandError(`There is no ${name}.`);
  const { required = [], properties = {} } = (found.schema ?? {}) as Parameters;
  const missing = required.filter((argument) => properties[argument]?.default === undefined);
  if (missing.length > 0) throw new UsageError(`The ${name} requires arguments: ${missing.join(", ")}. Pass them with --data.`);
}
