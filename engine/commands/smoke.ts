import { randomBytes } from "node:crypto";
import { type RunnerLanguage, runnerLanguages } from "../../contract/languages.ts";
import { commands, readOptions } from "../launch/commands.mjs";
import { Complaint, explain } from "../launch/complaint.mjs";
import { createApi, step, type Target } from "./smoke/client.ts";
import { checkFirstHour } from "./smoke/first-hour.ts";
import { smokeLanguage } from "./smoke/languages.ts";

interface SmokeOptions {
  workspace: string;
  languages: readonly RunnerLanguage[];
  firstHour?: { quick: boolean; sources: boolean; mail?: string | undefined } | undefined;
}

async function smoke(target: Target, { workspace, languages, firstHour }: SmokeOptions): Promise<boolean> {
  let allWell = await step("version", () => createApi(target, workspace).call.instance.version());
  let username = "";
  const user = await step(`token in ${workspace}`, async () => {
    ({ username } = await createApi(target, workspace).call.users.whoami());
    return username;
  });
  if (!user) return false;
  for (const language of languages) {
    const path = `u/${username}/smoke_${language}_${randomBytes(4).toString("hex")}`;
    allWell = (await smokeLanguage(target, workspace, language, path)) && allWell;
  }
  if (firstHour) allWell = (await checkFirstHour({ target, workspace, username, ...firstHour })) && allWell;
  return allWell;
}

async function main(): Promise<number> {
  const { texts: values, flags } = readOptions("smoke");
  // A token on a command line is visible in the shell's history and in the process list.
  const token = values["token"] ?? process.env["SVC_TOKEN"];
  if (!values["url"] || !token)
    throw new Complaint(`The URL or the token is missing: ${commands["smoke"]?.usage}. The token can also be in SVC_TOKEN.`);
  const target = { url: values["url"].replace(/\/+$/, ""), token };
  const firstHour = flags["first-hour"]
    ? { quick: flags["quick"] === true, sources: flags["sources"] === true, mail: values["mail"] }
    : undefined;
  const named = values["languages"]?.split(",") ?? (firstHour ? runnerLanguages : ["bash", "bun", "python3"]);
  const languages = named.map((language) => parseLanguage(language.trim()));
  const workspace = values["workspace"] ?? (await firstWorkspace(target));
  return (await smoke(target, { workspace, languages, firstHour })) ? 0 : 1;
}

function parseLanguage(name: string): RunnerLanguage {
  const language = runnerLanguages.find((each) => each === name);
  if (!language) throw new Complaint(`There is no smoke test for ${name}: choose from ${runnerLanguages.join(", ")}.`);
  return language;
}

async function firstWorkspace(target: Target): Promise<string> {
  const [first] = await createApi(target, "").call.workspaces.list();
  if (!first) throw new Complaint("This token has no workspace. Create one, or name one with --workspace.");
  return first.id;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.exitCode = explain(error);
}
