import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { removeInstance } from "../engine/instance.ts";
import { Complaint, explain } from "../launch/complaint.mjs";
import { localJson, localstackDir, root, upStateDir } from "../paths.ts";
import { runningUp } from "./running-up.ts";

/** Removes everything that `npm run up` has stored. Installed tools remain. */
async function reset(): Promise<void> {
  const running = await runningUp();
  if (running) throw new Complaint(`npm run up is using this state (process ${running.pid}). Stop it with Ctrl-C, then reset.`);
  const there = [upStateDir, localstackDir, localJson].filter((file) => existsSync(file));
  if (there.length === 0) return console.log("There is nothing to remove: npm run up has not stored any state.");
  await removeInstance(upStateDir);
  rmSync(localstackDir, { recursive: true, force: true });
  rmSync(localJson, { force: true });
  console.log(
    `Removed ${there.map((file) => path.relative(root, file)).join(" and ")}: scripts, jobs and the account. The next npm run up starts with empty state.`,
  );
}

try {
  await reset();
} catch (error) {
  process.exitCode = explain(error);
}
