import { existsSync } from "node:fs";
import { join } from "node:path";
import { folderName } from "../../../contract/common.ts";
import type { RunnerLanguage } from "../../../contract/languages.ts";
import { scriptTemplates } from "../../../contract/templates/script-templates.ts";
import { toArgumentsSchema } from "../../../core/signatures/parse-source.ts";
import { parseSignature } from "../../../core/signatures/signature.ts";
import { isSafeName } from "../../../core/sync/files/file-names.ts";
import { toFiles } from "../../../core/sync/files/layout.ts";
import type { SyncItem } from "../../../core/sync/item.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { writeLocalFile } from "../../project/local-files.ts";
import { toLayout } from "../../project/snapshots.ts";
import { openLocalProject, openSyncProject } from "../../sync/session.ts";

/** Writes the files of a new script. */
export function newScript(
  context: Context,
  path: string,
  { language, summary = "" }: { language: RunnerLanguage; summary?: string },
): void {
  const content = scriptTemplates[language].script;
  const schema = toArgumentsSchema(parseSignature(language, content));
  writeNew(context, { kind: "script", path, language, content, value: { summary, description: "", kind: "script", schema } });
}

/** Writes the files of a new flow with one script. */
export function newFlow(context: Context, path: string, { summary = "" }: { summary?: string }): void {
  const step = {
    id: "a",
    summary: "greet",
    value: {
      type: "rawscript",
      language: "bun",
      content: scriptTemplates.bun.script,
      input_transforms: { name: { type: "javascript", expr: "flow_input.name" } },
    },
  };
  const schema = toArgumentsSchema(parseSignature("bun", scriptTemplates.bun.script));
  writeNew(context, { kind: "flow", path, value: { summary, description: "", value: { modules: [step] }, schema } });
}

/** Writes the file of a new app. */
export function newApp(context: Context, path: string, { summary = "" }: { summary?: string }): void {
  const value = { grid: [], hiddenInlineScripts: [], unusedInlineScripts: [], fullscreen: false };
  writeNew(context, { kind: "app", path, value: { summary, value, policy: { execution_mode: "publisher" } } });
}

/** Writes the file of a new folder, which the user owns. Superadmins need no such right. */
export async function newFolder(context: Context, name: string, { summary = "" }: { summary?: string }): Promise<void> {
  if (!folderName.safeParse(name).success) throw new UsageError(`${name} is not the name of a folder, such as ops.`);
  const { target } = openSyncProject(context);
  const user = await context.client(target).call.users.whoami();
  const owners = user.is_super_admin ? [] : [`u/${user.username}`];
  const extra_perms = Object.fromEntries(owners.map((owner) => [owner, true]));
  writeFiles(context, { kind: "folder", path: name, value: { summary, display_name: "", owners, extra_perms } });
}

function writeNew(context: Context, item: SyncItem): void {
  if (!/^[fu]\/[^/]+\/./.test(item.path) || !isSafeName(item.path)) {
    throw new UsageError(`${item.path} is not a path of a workspace, such as f/ops/greet.`);
  }
  writeFiles(context, item);
}

function writeFiles(context: Context, item: SyncItem): void {
  const project = openLocalProject(context);
  const files = toFiles(item, toLayout(project));
  for (const file of files.keys()) if (existsSync(join(project.root, file))) throw new UsageError(`${file} exists already.`);
  for (const [file, text] of files) writeLocalFile(project.root, file, text);
  context.output.data([...files.keys()], [...files.keys()].join("\n"));
  context.output.say("Next: svc sync push");
}
