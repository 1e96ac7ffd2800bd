// The commands of the checkout, for the launcher and for the commands themselves. Plain JavaScript: the launcher runs it on any Node from 18 on.
import util from "node:util";
import { Complaint } from "./complaint.mjs";

const text = { type: "string" };
const flag = { type: "boolean" };

/**
 * Each command's file, whether it needs the packages of `node_modules`, and what its arguments are. A command without `options` passes its
 * arguments on to another program, which checks them.
 */
export const commands = {
  up: {
    file: "engine/commands/up.ts",
    packages: true,
    usage: "npm run up -- [--port 8000] [--engine ministack|localstack]",
    summary: "Starts the service on this machine, and prints each run when it has ended. Ctrl-C stops it and saves its state.",
    options: { port: text, engine: text },
  },
  env: {
    file: "engine/commands/env.ts",
    packages: false,
    usage: 'eval "$(npm run -s env)"',
    summary: "Sets URL, TOKEN and API of the running npm run up in a shell.",
    options: {},
  },
  logs: {
    file: "engine/commands/logs.ts",
    packages: false,
    usage: "npm run logs -- [function or id of a run] [--lines 50]",
    summary: "Shows the last log lines of the functions of the running npm run up, of one function, or the log of one run.",
    options: { lines: text },
    argument: true,
  },
  mail: {
    file: "engine/commands/mail.ts",
    packages: true,
    usage: "npm run mail",
    summary: "Shows the mail that the running npm run up has sent. It stays on this machine.",
    options: {},
  },
  reset: {
    file: "engine/commands/reset.ts",
    packages: false,
    usage: "npm run reset",
    summary: "Deletes everything that npm run up has stored: scripts, jobs and the account.",
    options: {},
  },
  test: {
    file: "engine/commands/test.ts",
    packages: true,
    usage: "npm test -- [--strict] [file …] [-t name] [other options of vitest]",
    summary:
      "Runs all tests, or those of the files. Files that failed run a second time, alone. With --strict, passing then does not count.",
  },
  verify: {
    file: "engine/commands/verify.ts",
    packages: true,
    usage: "npm run verify",
    summary: "Runs every check that needs no engine and starts no interpreter.",
    options: {},
  },
  bench: {
    file: "bench/main.ts",
    packages: true,
    usage: "npm run bench -- [--quick] [--only part-of-a-title] [--page]",
    summary: "Measures an own local set-up and prints one table. --page writes the stored run to docs/performance.md instead.",
    options: { quick: flag, only: text, page: flag },
  },
  smoke: {
    file: "engine/commands/smoke.ts",
    packages: true,
    usage:
      "npm run smoke -- --url https://… --token … [--workspace demo] [--languages bash,bun,python3] [--first-hour [--quick] [--sources] [--mail you@example.com]]",
    summary: "Saves, builds, runs and deletes a script in each language on any deployment.",
    options: { url: text, token: text, workspace: text, languages: text, "first-hour": flag, quick: flag, sources: flag, mail: text },
  },
  svc: {
    file: "cli/main.ts",
    packages: true,
  },
  package: {
    file: "bin/package.ts",
    packages: true,
    usage: "npm run package",
    summary: "Builds the package with which other CDK apps deploy the service: dist/svc-<version>.tgz.",
    options: {},
  },
  "aws-pause": {
    file: "engine/commands/aws-pause.ts",
    packages: true,
    usage: "npm run aws:pause -- [--stack svc]",
    summary: "Stops every function of a deployment that can write to its tables, for example to restore them.",
    options: { stack: text },
  },
  "aws-resume": {
    file: "engine/commands/aws-resume.ts",
    packages: true,
    usage: "npm run aws:resume -- [--stack svc]",
    summary: "Lets the functions of a paused deployment run again, with the reservations of its template.",
    options: { stack: text },
  },
  "aws-check": {
    file: "engine/commands/aws-check.ts",
    packages: true,
    usage: "npm run aws:check -- [--context svc='{…}'] [--profile name]",
    summary: "Lists what would stop a deployment to the AWS account or limit it, and what mends it. It changes nothing.",
    options: { context: { ...text, short: "c", multiple: true }, profile: text },
  },
  "aws-deploy": {
    file: "engine/commands/aws-deploy.ts",
    packages: true,
  },
  "aws-destroy": {
    file: "engine/commands/aws-destroy.ts",
    packages: true,
    usage: "npm run aws:destroy -- [--stack svc] [--delete-data] [--force]",
    summary: "Deletes a deployment in AWS, after a confirmation.",
    options: { stack: text, "delete-data": flag, force: flag },
  },
};

/** The text that answers `--help`. */
export const usageOf = ({ usage, summary }) => `${summary}\n\nUsage: ${usage}`;

/** Returns the options of a command by their type, and its argument. Throws a complaint with its usage. */
export function readOptions(name, args = process.argv.slice(2)) {
  const { options, argument = false, usage } = commands[name];
  const wrong = (sentence) => new Complaint(`${sentence}\nUsage: ${usage}`);
  let parsed;
  try {
    parsed = util.parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    // Node explains after the first sentence how to pass an argument that begins with a dash, which no command takes.
    throw wrong(`${String(error.message).split(/\.(?= |$)/, 1)[0]}.`);
  }
  const { values, positionals } = parsed;
  const [extra] = positionals.slice(argument ? 1 : 0);
  if (extra !== undefined) throw wrong(`The argument '${extra}' is not expected.`);
  const flagNames = Object.keys(options).filter((option) => options[option] === flag);
  const flags = Object.fromEntries(flagNames.map((option) => [option, values[option] === true]));
  return { texts: values, flags, argument: positionals[0] };
}
