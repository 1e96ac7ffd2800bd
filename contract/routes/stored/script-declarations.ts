import * as z from "zod";
import { atHash, contentHash, inWorkspace } from "../../common.ts";
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

  sourceDeclarations: defineRoute({
    method: "GET",
    fn: "objects",
    auth: "token",
    status: 200,
    name: "scripts.sourceDeclarations",
    summary:
      "Get the TypeScript declarations that the packages of a source ship, once a test, a flow or a version with this text was built.",
    path: "/api/w/{workspace}/scripts/declarations/s/{sha256}",
    access: { domain: "scripts", verb: "read", need: "member", target: "none" },
    params: inWorkspace.extend({ sha256: contentHash.describe("The SHA-256 of the source in hexadecimal.") }),
    reply: { json: reply.pick({ files: true }) },
    errors: [],
  }),
};
