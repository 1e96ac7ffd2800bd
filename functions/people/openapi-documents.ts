import { openapiDocumentRoutes as routes } from "../../contract/routes/triggers/openapi-documents.ts";
import type { ApiRoutes } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { text } from "../shared/reply/reply.ts";
import { deps } from "./deps.ts";

/** Loaded on first use, so that the function starts faster. */
const importGenerate = () => import("../../services/openapi/generate.ts");

export const openapiDocuments: ApiRoutes = [
  on(routes.generateOpenapi, async ({ auth: { actor }, params: { workspace }, body }) => {
    const { generateOpenapi } = await importGenerate();
    return text(200, await generateOpenapi(deps, { actor, workspace }, body));
  }),
  on(routes.downloadOpenapi, async ({ auth: { actor }, params: { workspace }, body }) => {
    const { generateOpenapi } = await importGenerate();
    const document = await generateOpenapi(deps, { actor, workspace }, body);
    return text(200, document, { "Content-Disposition": `attachment; filename="openapi.${body.openapi_spec_format}"` });
  }),
];
