import { env } from "../../contract/env.ts";
import { explain } from "./complaint.mjs";
import { inPhase } from "./progress.mjs";
import { ensurePythonTools, goPath } from "./venv.ts";

/**
 * Installs the tools that builds need, for tests that build without an engine, and sets their paths in the environment. Ends the process
 * with one sentence if they are not available.
 */
export async function installTools(): Promise<void> {
  try {
    await inPhase("install", "Python tools and Go", async (phase) => {
      const tools = await ensurePythonTools(phase.update);
      process.env[env.uvPath] = tools.uv;
      process.env[env.goPath] = await goPath(tools, phase.update);
    });
  } catch (error) {
    process.exit(explain(error));
  }
}
