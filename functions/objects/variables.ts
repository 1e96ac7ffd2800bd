import { variableRoutes as routes } from "../../contract/routes/stored/variables.ts";
import { buildContextualVariables } from "../../core/jobs/contextual-variables.ts";
import { keys } from "../../core/objects/keys.ts";
import { toPermissionedAs } from "../../core/people/actor.ts";
import { exportSecret } from "../../core/secrets/seal.ts";
import { listContextualVariables } from "../../core/variables/contextual.ts";
import { createPathFilter } from "../../services/identity/permit.ts";
import { loadExportKey } from "../../services/secrets/key-ring.ts";
import { getVariable, getVariableValue, listVariables } from "../../services/variables/read.ts";
import { createVariable, deleteVariable, updateVariable } from "../../services/variables/save.ts";
import type { ApiRoutes } from "../shared/domain-api.ts";
import { on } from "../shared/edge.ts";
import { json, text } from "../shared/reply.ts";
import { collaborators as c } from "./collaborators.ts";
import { secretReader } from "./secret-reader.ts";

/** Stands for the job in the list of what a job finds in its environment. */
const NO_JOB = "00000000-0000-0000-0000-000000000000";

export const variables: ApiRoutes = [
  on(routes.listVariables, async ({ auth, params: { workspace }, query }) =>
    json(200, await listVariables(c, workspace, query, createPathFilter({ actor: auth.actor, workspace }, routes.getVariable.access))),
  ),
  on(routes.getVariable, async ({ auth, params: { workspace, path }, query }) => {
    const view = { decrypted: query.decrypt_secret ?? true, encrypted: query.include_encrypted ?? false };
    return json(200, await getVariable(c, secretReader(auth, workspace), path, view));
  }),
  on(routes.getVariableValue, async ({ auth, params: { workspace, path } }) =>
    json(200, await getVariableValue(c, secretReader(auth, workspace), path)),
  ),
  on(routes.existsVariable, async ({ params: { workspace, path } }) =>
    json(200, (await c.objects.get(keys.variable(workspace, path))) !== undefined),
  ),
  on(routes.createVariable, async ({ auth, params: { workspace }, query, body }) => {
    await createVariable(c, { actor: auth.actor, workspace }, body, { alreadyEncrypted: query.already_encrypted ?? false });
    return text(201, `The variable ${body.path} is saved.`);
  }),
  on(routes.updateVariable, async ({ auth, params: { workspace, path }, query, body }) => {
    await updateVariable(c, { actor: auth.actor, workspace, path }, body, { alreadyEncrypted: query.already_encrypted ?? false });
    return text(200, `The variable ${body.path ?? path} is saved.`);
  }),
  on(routes.deleteVariable, async ({ auth, params: { workspace, path } }) => {
    await deleteVariable(c, auth.actor, workspace, path);
    return text(200, `The variable ${path} is deleted.`);
  }),
  on(routes.encryptValue, async ({ params: { workspace }, body }) => text(200, exportSecret(await loadExportKey(c, workspace), body))),
  on(routes.listContextual, async ({ auth, params: { workspace } }) => {
    const { actor } = auth;
    const job = {
      id: NO_JOB,
      workspace,
      path: "f/example/script",
      email: actor.email,
      permissionedAs: toPermissionedAs(actor),
      createdAtMs: c.nowMs(),
    };
    return json(
      200,
      listContextualVariables(buildContextualVariables({ job, attempt: 1, token: "", internalUrl: c.baseUrl, baseUrl: c.baseUrl })),
    );
  }),
];
