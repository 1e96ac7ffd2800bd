import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CLIENT_PACKAGE } from "../../contract/deployment/client-packages.ts";
import type { ApiClient } from "../api/client.ts";
import { CLIENT_FOLDER } from "../client-library.ts";
import type { Context } from "../context.ts";
import { placeWithoutLinks } from "../project/links.ts";
import { makeStateFolder, statePlace } from "../sync/state.ts";
import { declareResourceTypes } from "./resource-types.ts";

const TYPES = ".svc/types";

const LIBRARY = `./${TYPES}/svc-client/index.d.ts`;

/** The settings with which an editor checks the scripts of a project. */
const tsconfig = {
  compilerOptions: {
    target: "es2024",
    lib: ["es2024", "dom", "dom.iterable"],
    module: "preserve",
    moduleResolution: "bundler",
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    paths: { "svc-client": [LIBRARY], [CLIENT_PACKAGE]: [LIBRARY], "/f/*": ["./f/*"], "/u/*": ["./u/*"] },
  },
  include: ["f", "u", TYPES],
};

/**
 * Writes the declarations of the workspace's resource types and of `svc-client` to `.svc/types`, and a `tsconfig.json` that uses them if there is
 * none.
 */
export async function writeTypes({ output }: Context, client: ApiClient, root: string): Promise<void> {
  const types = await client.call.resources.types.list();
  makeStateFolder(root, "types", "svc-client");
  writeFileSync(statePlace(root, "types", "resource-types.d.ts"), declareResourceTypes(types));
  for (const name of readdirSync(CLIENT_FOLDER))
    if (name.endsWith(".d.ts")) copyFileSync(join(CLIENT_FOLDER, name), statePlace(root, "types", "svc-client", name));
  const config = placeWithoutLinks(root, "tsconfig.json");
  if (!existsSync(config)) {
    writeFileSync(config, `${JSON.stringify(tsconfig, undefined, 2)}\n`);
    output.say("tsconfig.json is written, so that editors check the scripts.");
  } else if (!readFileSync(config, "utf8").includes(TYPES)) {
    output.say(`To check scripts in an editor, add "${TYPES}" to "include" of tsconfig.json, and "svc-client": ["${LIBRARY}"] to "paths".`);
  }
}
