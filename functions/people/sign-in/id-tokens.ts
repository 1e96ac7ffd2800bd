import { dataKeys } from "../../../aws/kms/data-keys.ts";
import { idTokenRoutes as routes } from "../../../contract/routes/people/id-tokens.ts";
import type { ApiRoutes } from "../../shared/edge/domain-api.ts";
import { on } from "../../shared/edge/edge.ts";
import { json, text } from "../../shared/reply/reply.ts";
import { deps as peopleDeps } from "../deps.ts";

/** Loaded on first use, so that the function starts faster. */
const importIdToken = () => import("../../../services/identity/tokens/id-token.ts");

const deps = { ...peopleDeps, dataKeys };
/** Consumers cache keys and metadata themselves. Shared caches may store them for as long. */
const CACHED = { "Cache-Control": "public, max-age=300" };

export const idTokens: ApiRoutes = [
  on(routes.createIdToken, async ({ auth: { actor }, params: { workspace, audience }, query: { expires_in } }) => {
    const { createIdToken } = await importIdToken();
    return text(200, await createIdToken(deps, { actor, workspace }, { audience, expiresInS: expires_in }));
  }),
  on(routes.jwks, async () => json(200, { keys: await (await importIdToken()).listIdTokenKeys(deps) }, CACHED)),
  on(routes.openidConfiguration, async () => json(200, (await importIdToken()).describeIdTokenIssuer(deps.baseUrl), CACHED)),
];
