import { variableRoutes as routes } from "../../contract/routes/stored/variables.ts";
import { createPathFilter } from "../../services/identity/permit.ts";
import { listExampleVariables } from "../../services/variables/contextual.ts";
import { exportText, getVariable, getVariableValue, listVariables, variableExists } from "../../services/variables/read.ts";
import { createVariable, deleteVariable, updateVariable } from "../../services/variables/save.ts";
import { type ApiRoutes, secretReader } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json, text, versioned } from "../shared/reply/reply.ts";
import { deps } from "./deps.ts";

export const variables: ApiRoutes = [
  on(routes.listVariables, async ({ auth, params: { workspace }, query }) =>
    json(200, await listVariables(deps, workspace, query, createPathFilter({ actor: auth.actor, workspace }, routes.getVariable.access))),
  ),
  on(routes.getVariable, async ({ auth, params: { workspace, path }, query }) => {
    const view = { decrypted: query.decrypt_secret ?? true, encrypted: query.include_encrypted ?? false };
    return versioned(await getVariable(deps, secretReader(auth, workspace, routes.getVariable), path, view));
  }),
  on(routes.getVariableValue, async ({ auth, params: { workspace, path } }) =>
    json(200, await getVariableValue(deps, secretReader(auth, workspace, routes.getVariableValue), path)),
  ),
  on(routes.existsVariable, async ({ params: { workspace, path } }) => json(200, await variableExists(deps, workspace, path))),
  on(routes.createVariable, async ({ auth, params: { workspace }, query, body }) => {
    await createVariable(deps, { actor: auth.actor, workspace }, body, { alreadyEncrypted: query.already_encrypted ?? false });
    return text(201, `The variable ${body.path} was saved.`);
  }),
  on(routes.updateVariable, async ({ auth, params: { workspace, path }, query, body, expected }) => {
    await updateVariable(deps, { ...secretReader(auth, workspace, routes.updateVariable), path, expected }, body, {
      alreadyEncrypted: query.already_encrypted ?? false,
    });
    return text(200, `The variable ${body.path ?? path} was saved.`);
  }),
  on(routes.deleteVariable, async ({ auth, params: { workspace, path }, expected }) => {
    await deleteVariable(deps, { actor: auth.actor, workspace, path, expected });
    return text(200, `The variable ${path} was deleted.`);
  }),
  on(routes.encryptValue, async ({ params: { workspace }, body }) => text(200, await exportText(deps, workspace, body))),
  on(routes.listContextual, async ({ auth, params: { workspace } }) => json(200, listExampleVariables(deps, auth.actor, workspace))),
];
