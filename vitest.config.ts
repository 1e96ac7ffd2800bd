import { defineConfig } from "vitest/config";

/** Folders whose tests stand beside their code and need no engine. */
const unitFolders = "{contract,core,services,aws,functions,runners,lib,bin,engine,statemachines,cli,clients,web,bench,test/support}";

export default defineConfig({
  test: {
    // Most tests wait for an engine most of the time: one file at a time would leave half of two cores idle.
    maxWorkers: 2,
    // The engine is given time to stop properly.
    teardownTimeout: 60_000,
    reporters: ["./test/support/reporter.ts"],
    projects: [
      {
        test: {
          name: "unit",
          include: [`${unitFolders}/**/*.test.{ts,mjs}`],
          exclude: ["**/node_modules/**", "**/fixtures/**"],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          globalSetup: ["./test/support/global-setup.ts"],
          // A first save builds, and a first call starts a process for each function it passes.
          testTimeout: 120_000,
          // Tests that stop and start an engine make an instance of their own.
          hookTimeout: 240_000,
        },
      },
    ],
  },
});
