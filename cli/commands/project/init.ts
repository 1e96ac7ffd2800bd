import { existsSync, writeFileSync } from "node:fs";
import { formatYaml } from "../../../core/sync/files/yaml.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { findTarget } from "../../profiles/target.ts";
import { findGitBranch } from "../../project/git.ts";
import { placeWithoutLinks } from "../../project/links.ts";
import { CONFIG_FILE } from "../../project/project.ts";

/** Writes `svc.yaml` for the target of the command. */
export function init(context: Context, { force = false }: { force?: boolean }): void {
  const file = placeWithoutLinks(context.cwd, CONFIG_FILE);
  if (existsSync(file) && !force) throw new UsageError(`${CONFIG_FILE} exists already. Add --force to replace it.`);
  // The replaced file does not affect the content of the new one.
  const { url, workspace } = findTarget(context.flags);
  const branch = findGitBranch(context.cwd);
  const entry = { baseUrl: url, workspaceId: workspace, ...(branch && branch !== workspace ? { gitBranch: branch } : {}) };
  const config = { defaultTs: "bun", includes: ["f/**"], excludes: [], ...(workspace ? { workspaces: { [workspace]: entry } } : {}) };
  const schema = `# yaml-language-server: $schema=${url}/svc.schema.json\n`;
  writeFileSync(file, `${schema}${formatYaml(config)}`);
  context.output.say(`${CONFIG_FILE} is ready for the workspace ${workspace || "(none)"} at ${url}. Next: svc sync pull`);
}
