import { join } from "node:path";

declare const SVC_CLI_VERSION: string;

/** The folder of the client library in the package: `index.js` and the declarations of its types. `build.ts` writes it. */
export const CLIENT_FOLDER = join(import.meta.dirname, typeof SVC_CLI_VERSION === "string" ? "client" : "dist/client");
