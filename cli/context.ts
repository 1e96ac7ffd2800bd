import type { Command } from "commander";
import { ApiClient } from "./api/client.ts";
import { UsageError } from "./errors.ts";
import { Output } from "./output/output.ts";
import { type ConfiguredWorkspace, findTarget, type Target, type TargetFlags } from "./profiles/target.ts";

/** The flags that every command has. */
export interface GlobalFlags extends TargetFlags {
  json: boolean;
  yes: boolean;
  verbose: boolean;
}

/** The surroundings of a command: its flags, its streams and its folder. */
export class Context {
  readonly flags: GlobalFlags;
  readonly output: Output;
  readonly cwd = process.cwd();

  constructor(command: Command) {
    const { json = false, yes = false, verbose = false, ...target } = command.optsWithGlobals<Partial<GlobalFlags>>();
    this.flags = { ...target, json, yes, verbose };
    this.output = new Output({ json, verbose });
  }

  target(configured: ConfiguredWorkspace = {}): Target {
    return findTarget(this.flags, configured);
  }

  /** Returns a client for a target. Throws `UsageError` if the command needs a workspace and none is known. */
  client(target: Target = this.target()): ApiClient {
    if (target.workspace === "") throw new UsageError("No workspace is known. Choose one with --workspace, or run: svc workspace switch");
    return this.instanceClient(target);
  }

  /** Returns a client for routes that belong to no workspace. */
  instanceClient(target: Target = this.target()): ApiClient {
    return new ApiClient({ ...target, trace: this.flags.verbose ? (line) => this.output.detail(line) : undefined });
  }
}
