import type { Command } from "commander";
import type { SyncOptions } from "../core/sync/config/config.ts";
import { ApiClient } from "./api/client.ts";
import { UsageError } from "./errors.ts";
import { Output } from "./output/output.ts";
import { requireConfirmation } from "./output/prompts.ts";
import { cleanLine } from "./output/terminal.ts";
import { findTarget, type Target, type TargetFlags } from "./profiles/target.ts";
import { findProjectRoot, openProject } from "./project/project.ts";

/** The flags that every command has. */
export interface GlobalFlags extends TargetFlags {
  json: boolean;
  yes: boolean;
  verbose: boolean;
}

/** The flags of single commands that affect the target, or whether the command prints it. */
interface TargetOptions extends Pick<SyncOptions, "skipBranchValidation"> {
  silent?: boolean;
}

/** The context of a command: its flags, its streams and its folder. */
export class Context {
  readonly flags: GlobalFlags;
  readonly output: Output;
  readonly cwd: string;
  readonly #command: Command;
  readonly #options: TargetOptions;
  #target: Target | undefined;
  #namesTarget: boolean;

  /**
   * `namesTarget`: print the target before the first question or request. `scope`: the folder and the target, which otherwise depend on the
   * flags.
   */
  constructor(command: Command, { namesTarget, scope }: { namesTarget: boolean; scope?: { cwd: string; target: Target } }) {
    this.#command = command;
    this.cwd = scope?.cwd ?? process.cwd();
    this.#target = scope?.target;
    const {
      json = false,
      yes = false,
      verbose = false,
      url,
      token,
      workspace,
      ...options
    } = command.optsWithGlobals<Partial<GlobalFlags> & TargetOptions>();
    this.flags = { url, token, workspace, json, yes, verbose };
    this.output = new Output({ json, verbose });
    this.#options = options;
    this.#namesTarget = namesTarget && !options.silent;
  }

  /** Returns the target of the command: every command in a folder has the same one. Throws `UsageError` if none is known. */
  target(): Target {
    this.#target ??= findTarget(this.flags, this.#readProject()?.configured);
    return this.#target;
  }

  /** Returns the context of another folder and of a workspace of the same service, for a command that has named its service. */
  at(cwd: string, workspace: string): Context {
    return new Context(this.#command, { namesTarget: false, scope: { cwd, target: { ...this.target(), workspace } } });
  }

  /** Reads `svc.yaml` of the current folder, if there is one. */
  #readProject() {
    if (findProjectRoot(this.cwd) === undefined) return undefined;
    const { skipBranchValidation } = this.#options;
    return openProject(this.cwd, { skipBranchValidation, workspace: this.flags.workspace });
  }

  /** Prints the target of the command at the first call. */
  #nameTarget(): void {
    if (!this.#namesTarget) return;
    this.#namesTarget = false;
    const { url, workspace, source } = this.target();
    const description = `${workspace === "" ? "" : `workspace ${workspace} at `}${url} (${source})`;
    this.output.say(this.output.style("dim", `Target: ${cleanLine(description)}`));
  }

  /** Throws `CommandError` unless the person or `--yes` confirms. */
  async confirm(question: string): Promise<void> {
    this.#nameTarget();
    await requireConfirmation(question, this.flags);
  }

  /** Returns a client for a target. Throws `UsageError` if the command needs a workspace and none is known. */
  client(target: Target = this.target()): ApiClient {
    if (target.workspace === "") throw new UsageError("No workspace is known. Choose one with --workspace, or run: svc workspace switch");
    return this.instanceClient(target);
  }

  /** Returns a client for routes that belong to no workspace. */
  instanceClient(target: Target = this.target()): ApiClient {
    this.#nameTarget();
    const warn = (text: string) => this.output.say(this.output.style("yellow", text));
    return new ApiClient({ ...target, warn, trace: this.flags.verbose ? (line) => this.output.detail(line) : undefined });
  }
}
