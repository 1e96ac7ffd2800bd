import * as z from "zod";
import { atHash } from "../../common.ts";
import { defineRoute } from "../../route.ts";

const reply = z.object({
  built: z.boolean().describe("Whether the build of the version has ended. Before, there are no declarations."),
  files: z
    .record(z.string(), z.string())
    .describe("The texts by path, such as `node_modules/zod/index.d.ts`. A manifest has only the fields that say where types are."),
});
export type ScriptDeclarations = z.output<typeof reply>;

/** The types of packages, which the editor of scripts reads. */
export const scriptDeclarationRoutes = {
  scriptDeclarations: defineRoute({
    method: "GET",
    fn: "objects",
    auth: "token",
    status: 200,
    name: "scripts.declarations",
    summary: "Get the TypeScript declarations that the packages of a version ship.",
    path: "/api/w/{workspace}/scripts/declarations/h/{hash}",
    access: { domain: "scripts", verb: "read", need: "read", target: "version", hiddenAs: "script.versionNotFound" },
    params: atHash,
    reply: { json: reply },
    errors: ["script.versionNotFound"],
  }),
};
