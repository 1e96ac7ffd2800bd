import { readdirSync, readFileSync } from "node:fs";
import { parentOf } from "../runners/shared/process/processes.ts";

export interface Memory {
  mb: number;
  processes: number;
}

/**
 * Returns the proportional set size of processes, their descendants and their launchers: their private memory and their share of common
 * pages, so that a page counts once. Returns `undefined` except on Linux.
 */
export function memoryOf({ processes, launchers = [] }: { processes: number[]; launchers?: number[] }): Memory | undefined {
  if (process.platform !== "linux") return undefined;
  const ids = [...launchers, ...processes.flatMap((root) => [root, ...below(root)])];
  const sizes = [...new Set(ids)].map(proportionalKb).filter((kb) => kb > 0);
  return { mb: sizes.reduce((sum, kb) => sum + kb, 0) / 1024, processes: sizes.length };
}

function proportionalKb(id: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, "latin1"))?.[1] ?? 0);
  } catch {
    // The process has ended.
    return 0;
  }
}

function below(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    const id = Number(name);
    const parent = id > 0 ? parentOf(id) : undefined;
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), id]);
  }
  const found = [...(children.get(root) ?? [])];
  for (const id of found) found.push(...(children.get(id) ?? []));
  return found;
}

/** The launcher and npm, if they started a process. */
export function launchersOf(id: number): number[] {
  const found: number[] = [];
  for (let parent = parentOf(id); parent && parent > 1 && /launch\.mjs|npm/.test(commandOf(parent)); parent = parentOf(parent))
    found.push(parent);
  return found;
}

function commandOf(id: number): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, "latin1").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
