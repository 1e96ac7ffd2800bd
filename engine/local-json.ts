import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { localJson } from "./paths.ts";
import type { Account } from "./seed/admin.ts";

/** The address and the credentials of the local instance, for tools and people. */
export interface LocalJson extends Account {
  /** A bare origin. */
  url: string;
}

export function readLocalJson(): LocalJson | undefined {
  try {
    return JSON.parse(readFileSync(localJson, "utf8"));
  } catch {
    return undefined;
  }
}

/** Replaces the file in one step, so that no reader sees a part of it. It contains a password, so only its owner may read it. */
export function writeLocalJson(url: string, { workspace, token, email, password }: Account, file = localJson): void {
  const aside = `${file}.${process.pid}`;
  rmSync(aside, { force: true });
  writeFileSync(aside, `${JSON.stringify({ url, workspace, token, email, password }, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  renameSync(aside, file);
}
