import { fromObject } from "../../../core/sync/from-object.ts";
import { unlessMissing } from "../../api/client.ts";
import type { Context } from "../../context.ts";
import { CommandError } from "../../errors.ts";
import { saveItem } from "../../sync/push/apply.ts";

interface Version {
  path: string;
  archived?: boolean;
}

/** Saves an earlier version of a script or flow as its newest one. The versions after it remain in the history. */
export async function rollback(context: Context, kind: "script" | "flow", path: string, version: string): Promise<void> {
  const client = context.client();
  const read =
    kind === "script"
      ? client.find.scripts.getByHash({ hash: version })
      : client.callAny("flows.getByHash", { version }).catch(unlessMissing);
  const earlierVersion = (await read) as Version | undefined;
  if (earlierVersion?.path !== path)
    throw new CommandError(`The ${kind} ${path} has no version ${version}. List its versions with: svc ${kind} history ${path}`);
  const newest: Version | undefined = await (kind === "script" ? client.find.scripts.getByPath({ path }) : client.find.flows.get({ path }));
  const exists = newest !== undefined && newest.archived !== true;
  await context.confirm(`Save version ${version} of the ${kind} ${path} as its newest version?`);
  const location = { kind, path };
  const before = exists ? fromObject(location, newest, {}) : undefined;
  await saveItem(client, fromObject(location, earlierVersion, {}), before, { plainSecrets: false, message: `Rollback to ${version}` });
  context.output.say(`The ${kind} ${path} has the content of version ${version} again.`);
}
