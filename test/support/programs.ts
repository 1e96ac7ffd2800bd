import { env } from "../../contract/env.ts";

/** The interpreters of this machine that tests start themselves. If Go is missing, `npm test` installs it and sets its path in the environment. */
export const pythonPath = () => process.env["SVC_TEST_PYTHON"] ?? "python3";
export const goPath = () => process.env[env.goPath] || "go";
