import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { OperationName } from "../../contract/client/operation.ts";
import { operations } from "../../contract/client/operations/all.ts";
import { type AnyInput, toRequest } from "../../contract/client/request.ts";
import type { EndedRun } from "../../functions/shared/reply/ended-run.ts";
import { startAutosave } from "../engine/autosave.ts";
import { type InPhase, type Instance, startInstance } from "../engine/instance.ts";
import { startLocalstack } from "../engine/localstack.ts";
import { createOrderedPrinter, endedLine, errorText, followEndedRuns } from "../front/ended-runs.ts";
import { liveLine } from "../front/live-log.ts";
import { createSignInLink } from "../front/sign-in-link.ts";
import { readOptions } from "../launch/commands.mjs";
import { Complaint, explain } from "../launch/complaint.mjs";
import { formatDuration, inPhase as showPhase } from "../launch/progress.mjs";
import { readLocalJson, writeLocalJson } from "../local-json.ts";
import { localJson, localstackDir, seededJson, upStateDir } from "../paths.ts";
import { type Account, createAdmin } from "../seed/admin.ts";
import { FIRST_EXAMPLE, hasFirstExample, seedExamples, tokenWorks } from "../seed/seed.ts";
import { claimUp } from "./running-up.ts";
import { onStopSignal } from "./signals.ts";

const DEFAULT_PORT = 8000;
const WORKSPACE = { id: "demo", name: "Demo" };
const EMAIL = "admin@example.com";
const FIRST_ARGS = { name: "you" };
const REASON_MS = 5000;

interface UpOptions {
  port: number;
  engine: "ministack" | "localstack";
}

async function up({ port, engine }: UpOptions, stop: AbortSignal): Promise<void> {
  const release = await claimUp(port);
  const dir = engine === "localstack" ? localstackDir : upStateDir;
  const inPhase: InPhase = (name, detail, work) => showPhase(name, detail, (phase) => work(phase.update));
  const localstack = engine === "localstack" ? await startLocalstack(inPhase, stop) : undefined;
  const signInLink = createSignInLink();
  let instance: Instance | undefined;
  let live = false;
  let unfollow = () => {};
  const autosave = startAutosave(async () => instance?.save());
  try {
    instance = await startInstance({
      dir,
      port,
      inPhase,
      signal: stop,
      signInLink,
      onRequest: (event) => {
        autosave.touch();
        const line = live ? liveLine(event, new Date()) : undefined;
        if (line) console.log(line);
      },
      ...(localstack ? { foreignEngine: localstack } : {}),
    });
    const running = instance;
    const { account, seeded, result, hasExample } = await showPhase("fill", "workspace demo", async (phase) => {
      const account = await signIn(running);
      writeLocalJson(running.url, account);
      phase.update(`workspace ${account.workspace}: building and running the first example`);
      // An account of an earlier start has the address of that start, which may have had another port.
      const access = { ...account, url: running.url, signal: stop };
      const { seeded, result } = await seedExamples(access, FIRST_ARGS, engine === "ministack" ? readSeeded() : undefined);
      phase.update(result === undefined ? `workspace ${account.workspace}, as it was` : `examples in workspace ${account.workspace}`);
      return { account, seeded, result, hasExample: await hasFirstExample(access) };
    });
    // From here on, a power failure does not lose the deployment.
    await running.save();
    if (engine === "ministack") writeFileSync(seededJson, JSON.stringify(seeded));
    console.log(greeting(running, account, { result, hasExample, engine, consoleLink: signInLink.create(account.token) }));
    live = true;
    const print = createOrderedPrinter((line) => console.log(line));
    unfollow = followEndedRuns(running.endedRuns, (run) => {
      autosave.touch();
      print(describeEnd(running.url, account.token, run));
    });
    const ended = await Promise.race([running.died, aborted(stop)]);
    if (ended) {
      instance = undefined;
      await running.stop();
      throw new Complaint(ended);
    }
  } finally {
    unfollow();
    autosave.stop();
    const stopping = instance;
    if (stopping) await showPhase("stop", localstack ? "the front server" : "the engine, with its state saved", () => stopping.stop());
    if (localstack) await showPhase("stop", "LocalStack and the function containers", () => localstack.stop());
    release();
  }
}

/** The account of an earlier start if its token still works, else one from the one-shot function that AWS uses too. */
async function signIn({ url, endpoint, outputs }: Instance): Promise<Account> {
  const before = readLocalJson();
  if (before?.token && (await tokenWorks({ url, token: before.token }))) return before;
  const password = before?.password ? { password: before.password } : {};
  return createAdmin({
    endpoint,
    setupFunction: outputs["SetupFunction"],
    hasPasswords: outputs["UserPoolId"] !== undefined,
    email: EMAIL,
    ...password,
    workspace: WORKSPACE,
    tokenLabel: "local",
  });
}

const saveStatuses = {
  ministack: (dir: string) => ({ state: path.relative(process.cwd(), dir), end: "stops it and saves its state" }),
  localstack: () => ({ state: "only in LocalStack's container", end: "stops it and deletes the container with its state" }),
};

const jobsRunAs = {
  ministack: `run as your user and can read your files, such as ${path.relative(process.cwd(), localJson)}: run only code that you trust`,
  localstack: "run in containers, which do not see your files",
};

/** Returns the line of a run that has ended, with the reason of a failure, or `undefined` if it has none. */
async function describeEnd(url: string, token: string, run: EndedRun): Promise<string | undefined> {
  const at = new Date();
  if (endedLine(run, at) === undefined) return undefined;
  const reason = run.state === "succeeded" || run.state === "skipped" ? "" : await reasonOf(url, token, run);
  return endedLine(run, at, reason);
}

async function reasonOf(url: string, token: string, { workspace, id }: EndedRun): Promise<string> {
  try {
    const answer = await fetch(`${url}${toRequest(operations, "jobs.getResult", { workspace, id }).address}`, {
      headers: { authorization: `Bearer ${token}` },
      // Later lines wait for this one, so that they are printed in order.
      signal: AbortSignal.timeout(REASON_MS),
    });
    return errorText(await answer.json());
  } catch {
    // The line without a reason is shown: the engine is stopping, or the run was deleted.
    return "";
  }
}

function readSeeded(): Record<string, string> | undefined {
  try {
    return JSON.parse(readFileSync(seededJson, "utf8"));
  } catch {
    return undefined;
  }
}

interface Filled {
  /** The result of the first example, if this start saved it. */
  result: unknown;
  hasExample: boolean;
  engine: UpOptions["engine"];
  /** The path of the link that opens the console signed in. */
  consoleLink: string;
}

function greeting({ url, dir }: Instance, { workspace, token, email, password }: Account, filled: Filled): string {
  const { result, hasExample, engine, consoleLink } = filled;
  const { state, end } = saveStatuses[engine](dir);
  const total = Date.now() - Number(process.env["SVC_LAUNCHED_MS"] ?? Date.now());
  const addressOf = (name: OperationName, input: AnyInput) => `${url}${toRequest(operations, name, { workspace, ...input }).address}`;
  const auth = `-H "Authorization: Bearer ${token}"`;
  const post = `${auth} -H "Content-Type: application/json" -d '${JSON.stringify(FIRST_ARGS)}'`;
  const first = result === undefined ? "" : `${FIRST_EXAMPLE} responded through its webhook: ${JSON.stringify(result)}\n\n`;
  const lines = `
Run a script and wait for its result:
  curl -sS ${post} ${addressOf("jobs.runWait.scripts", { path: FIRST_EXAMPLE })}
Run it in the background and print the job id:
  JOB=$(curl -sS ${post} ${addressOf("jobs.run.scripts", { path: FIRST_EXAMPLE })}); echo "$JOB"
Read the result of that job:
  curl -sS ${auth} ${addressOf("jobs.getResultMaybe", { id: "" })}$JOB
`;
  return `
${first}Ready after ${formatDuration(total)} at ${url}
  console    ${url}${consoleLink} (signs your browser in, once)
  token      ${token}
  account    ${email}, ${password === "" ? "sign in with this token only, because this engine has no Cognito" : `password in ${path.relative(process.cwd(), localJson)}`}
  state      ${state}
  jobs       ${jobsRunAs[engine]}
${hasExample ? lines : ""}
Ctrl-C ${end}. Ended runs appear below, and npm run logs shows more.
`;
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}

function upOptions(): UpOptions {
  const { port: portText = DEFAULT_PORT, engine = "ministack" } = readOptions("up").texts;
  const port = Number(portText);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Complaint(`--port takes a number from 1 to 65535, not ${portText}.`);
  if (engine !== "ministack" && engine !== "localstack") throw new Complaint(`--engine takes ministack or localstack, not ${engine}.`);
  return { port, engine };
}

if (import.meta.main) {
  const stop = new AbortController();
  onStopSignal(
    () => stop.abort(),
    () => process.exit(130),
  );
  try {
    await up(upOptions(), stop.signal);
  } catch (error) {
    process.exitCode = stop.signal.aborted ? 130 : explain(error);
  }
  process.exit();
}
