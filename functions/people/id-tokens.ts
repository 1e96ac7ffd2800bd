import { dataKeys } from "../../aws/kms/data-keys.ts";
import { idTokenRoutes as routes } from "../../contract/routes/people/id-tokens.ts";
import { createIdToken, describeIdTokenIssuer, listIdTokenKeys } from "../../services/identity/id-token.ts";
import type { ApiRoutes } from "../shared/domain-api.ts";
import { on } from "../shared/edge.ts";
import { json, text } from "../shared/reply.ts";
import { deps as peopleDeps } from "./deps.ts";

const deps = { ...peopleDeps, dataKeys };
/** Consumers cache keys and metadata themselves. Shared caches may store them for as long. */
const CACHED = { "Cache-Control": "public, max-age=300" };

export const idTokens: ApiRoutes = [
  on(routes.createIdToken, async ({ auth: { actor }, params: { workspace, audience }, query: { expires_in } }) =>
    text(200, await createIdToken(deps, { actor, workspace }, { audience, expiresInS: expires_in })),
  ),
  on(routes.jwks, async () => json(200, { keys: await listIdTokenKeys(deps) }, CACHED)),
  on(routes.openidConfiguration, async () => json(200, describeIdTokenIssuer(deps.baseUrl), CACHED)),
];
