import type { call as calls } from "../../../data/objects-api.ts";
import { areSame, type BegunSave } from "../settings.ts";
import { type GeneralValues, toAutoInviteRequest, toStorage } from "./general-values.ts";

interface Calls {
  workspaces: Pick<
    typeof calls.workspaces,
    "changeName" | "changeColor" | "editFailedRuns" | "editApprovals" | "editAutoInvite" | "editLargeFileStorage"
  >;
}

/** Sends each changed setting. A save that failed at one of them continues there. */
export async function saveGeneral(
  call: Calls,
  request: { workspace: string; headers: Record<string, string> },
  typed: GeneralValues,
  { settings, stored, onStored }: BegunSave<GeneralValues>,
): Promise<void> {
  const store = async (keys: readonly (keyof GeneralValues)[], send: () => Promise<unknown>) => {
    if (keys.every((key) => areSame(typed[key], stored[key]))) return;
    await send();
    onStored(Object.fromEntries(keys.map((key) => [key, typed[key]])));
  };

  await store(["name"], () => call.workspaces.changeName({ ...request, body: { new_name: typed.name } }));
  await store(["color"], () => call.workspaces.changeColor({ ...request, body: { color: typed.color || null } }));
  await store(["status"], () => call.workspaces.editFailedRuns({ ...request, body: { status: typed.status } }));
  await store(["linksDecide"], () => call.workspaces.editApprovals({ ...request, body: { every_get_counts: typed.linksDecide } }));
  await store(["joins", "asOperator"], () => call.workspaces.editAutoInvite({ ...request, body: toAutoInviteRequest(typed, settings) }));
  await store(["storage", "resource", "others"], () =>
    call.workspaces.editLargeFileStorage({ ...request, body: { large_file_storage: toStorage(typed, settings) } }),
  );
}
