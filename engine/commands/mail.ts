import { readFileSync } from "node:fs";
import path from "node:path";
import { readMail, type SentMail } from "../front/mailbox.ts";
import { Complaint, explain } from "../launch/complaint.mjs";
import { upStateDir } from "../paths.ts";
import { runningUp } from "./running-up.ts";

/** Shows the mail that the service has sent on this machine, the newest last. It remains in the engine and is not delivered. */
async function mail(): Promise<void> {
  if (!(await runningUp())) throw new Complaint("The local service is not running. Start it with npm run up in another terminal.");
  const mails = await readMail(`http://127.0.0.1:${enginePort()}`).catch((error: unknown) => {
    throw new Complaint(`The engine did not return its mail. Only MiniStack stores mail (${String(error)}).`);
  });
  if (mails.length === 0) return console.log("No mail was sent since the engine started.");
  console.log(mails.map(shown).join("\n\n"));
}

function enginePort(): string {
  try {
    return readFileSync(path.join(upStateDir, "engine-port"), "utf8").trim();
  } catch {
    throw new Complaint("MiniStack is not running, and only MiniStack stores mail. Start it with npm run up.");
  }
}

function shown({ atMs, from, to, subject, text }: SentMail): string {
  const head = [`Date: ${new Date(atMs).toISOString()}`, `From: ${from}`, `To: ${to.join(", ")}`, `Subject: ${subject}`];
  return `${"-".repeat(72)}\n${head.join("\n")}\n\n${text.trimEnd()}`;
}

try {
  await mail();
} catch (error) {
  process.exitCode = explain(error);
}
