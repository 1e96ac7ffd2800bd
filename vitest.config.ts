import { defineConfig } from "vitest/config";

/** Folders whose tests stand beside their code and need no engine. */
const unitFolders = "{contract,core,services,aws,functions,runners,lib,bin,engine,statemachines,cli,clients,web,bench,test/support}";

/** Tests of use cases stand beside them too. */
const useCases = "services/**/*.usecase.test.ts";

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
          exclude: ["**/node_modules/**", "**/fixtures/**", useCases],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          // Use cases, called in the test's own process over an engine's storage: no function is deployed.
          name: "services",
          include: [useCases],
          globalSetup: ["./test/support/use-case-setup.ts"],
          setupFiles: ["./test/support/use-case-env.ts"],
          testTimeout: 30_000,
          hookTimeout: 60_000,
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
