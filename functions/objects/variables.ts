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
import { deps } from "./deps.ts";
import { secretReader } from "./secret-reader.ts";

/** The job id in the list of contextual variables, which describes no particular job. */
const NO_JOB = "00000000-0000-0000-0000-000000000000";

export const variables: ApiRoutes = [
  on(routes.listVariables, async ({ auth, params: { workspace }, query }) =>
    json(200, await listVariables(deps, workspace, query, createPathFilter({ actor: auth.actor, workspace }, routes.getVariable.access))),
  ),
  on(routes.getVariable, async ({ auth, params: { workspace, path }, query }) => {
    const view = { decrypted: query.decrypt_secret ?? true, encrypted: query.include_encrypted ?? false };
    return json(200, await getVariable(deps, secretReader(auth, workspace), path, view));
  }),
  on(routes.getVariableValue, async ({ auth, params: { workspace, path } }) =>
    json(200, await getVariableValue(deps, secretReader(auth, workspace), path)),
  ),
  on(routes.existsVariable, async ({ params: { workspace, path } }) =>
    json(200, (await deps.objects.get(keys.variable(workspace, path))) !== undefined),
  ),
  on(routes.createVariable, async ({ auth, params: { workspace }, query, body }) => {
    await createVariable(deps, { actor: auth.actor, workspace }, body, { alreadyEncrypted: query.already_encrypted ?? false });
    return text(201, `The variable ${body.path} was saved.`);
  }),
  on(routes.updateVariable, async ({ auth, params: { workspace, path }, query, body }) => {
    await updateVariable(deps, { actor: auth.actor, workspace, path }, body, { alreadyEncrypted: query.already_encrypted ?? false });
    return text(200, `The variable ${body.path ?? path} was saved.`);
  }),
  on(routes.deleteVariable, async ({ auth, params: { workspace, path } }) => {
    await deleteVariable(deps, auth.actor, workspace, path);
    return text(200, `The variable ${path} was deleted.`);
  }),
  on(routes.encryptValue, async ({ params: { workspace }, body }) => text(200, exportSecret(await loadExportKey(deps, workspace), body))),
  on(routes.listContextual, async ({ auth, params: { workspace } }) => {
    const { actor } = auth;
    const job = {
      id: NO_JOB,
      workspace,
      path: "f/example/script",
      email: actor.email,
      permissionedAs: toPermissionedAs(actor),
      createdAtMs: deps.nowMs(),
    };
    return json(
      200,
      listContextualVariables(buildContextualVariables({ job, attempt: 1, token: "", internalUrl: deps.baseUrl, baseUrl: deps.baseUrl })),
    );
  }),
];
