import type { ApiClient } from "../../api/client.ts";
import { encodePath } from "../../api/routes.ts";
import type { Context } from "../../context.ts";
import { CommandError, UsageError } from "../../errors.ts";
import { runJob } from "../../run/run-job.ts";

interface RunFlags {
  data?: Record<string, unknown>;
  silent?: boolean;
}
interface Runnable {
  schema?: { required?: string[]; properties?: Record<string, { default?: unknown }> };
}

export async function runScript(context: Context, path: string, flags: RunFlags): Promise<number> {
  const at = encodePath(path);
  if (flags.data === undefined) await requireNoArguments(context.client(), `scripts/get/p/${at}`, `script ${path}`);
  return runJob(context, { route: `jobs/run/p/${at}`, body: flags.data ?? {}, kind: "script" }, flags);
}

export async function runFlow(context: Context, path: string, flags: RunFlags): Promise<number> {
  const at = encodePath(path);
  if (flags.data === undefined) await requireNoArguments(context.client(), `flows/get/${at}`, `flow ${path}`);
  return runJob(context, { route: `jobs/run/f/${at}`, body: flags.data ?? {}, kind: "flow" }, flags);
}

/** A run without required arguments would only fail later. */
async function requireNoArguments(client: ApiClient, route: string, name: string): Promise<void> {
  const found = await client.find<Runnable>(route);
  if (found === undefined) throw new CommandError(`There is no ${name}.`);
  const { required = [], properties = {} } = found.schema ?? {};
  const missing = required.filter((argument) => properties[argument]?.default === undefined);
  if (missing.length > 0) throw new UsageError(`The ${name} requires arguments: ${missing.join(", ")}. Pass them with --data.`);
}
