import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Outputs } from "./deploy.ts";

/** A stopped instance, from whose deployment other instances start. */
export interface Snapshot {
  /** Folder of the stopped instance. */
  dir: string;
  /** The texts of its state and their replacements in a copy, in addition to URLs and folder. */
  replace?: Readonly<Record<string, string>>;
}

interface Place {
  dir: string;
  /** Origin of the front server. */
  url: string;
  /** Port of the engine. */
  port: number;
}

/**
 * Copies a snapshot's stored state to another folder, for an engine and a front server on other ports, and returns the stack's outputs there.
 * Queue addresses, function settings and the stack's record name ports and folders as text, so replacing the text moves them.
 */
export function restoreSnapshot({ dir: from, replace = {} }: Snapshot, { dir, url, port }: Place): Outputs {
  const { outputs } = JSON.parse(readFileSync(path.join(from, "deployed.json"), "utf8")) as { outputs: Outputs };
  const portBefore = readFileSync(path.join(from, "engine-port"), "utf8").trim();
  const replacements = Object.entries({
    ...replace,
    [outputs["Url"] ?? ""]: url,
    [`://localhost:${portBefore}`]: `://localhost:${port}`,
    [`://127.0.0.1:${portBefore}`]: `://127.0.0.1:${port}`,
    [from]: dir,
  }).filter(([text]) => text !== "");
  const moved = (text: string) => replacements.reduce((all, [before, after]) => all.replaceAll(before, after), text);
  const [stateBefore, state] = [path.join(from, "engine", "state"), path.join(dir, "engine", "state")];
  mkdirSync(state, { recursive: true });
  for (const entry of readdirSync(stateBefore, { withFileTypes: true })) {
    const [source, target] = [path.join(stateBefore, entry.name), path.join(state, entry.name)];
    if (entry.name.endsWith(".json")) writeFileSync(target, moved(readFileSync(source, "utf8")));
    else cpSync(source, target, { recursive: true });
  }
  const objects = path.join(from, "engine", "s3");
  if (existsSync(objects)) cpSync(objects, path.join(dir, "engine", "s3"), { recursive: true });
  return JSON.parse(moved(JSON.stringify(outputs))) as Outputs;
}
