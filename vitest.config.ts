import { defineConfig } from "vitest/config";
import { SlowFirst } from "./test/support/slow-first.ts";

/** Folders of pure functions. */
const ruleFolders = "{contract,core,statemachines}";

/** Folders whose tests stand beside their code and need no engine. */
const unitFolders = "{services,aws,functions,lib,bin,engine,cli,web,bench,test/support}";

/** Tests that start interpreters, compilers and package managers, or measure work: seconds each, where other tests take milliseconds. */
const programs = [
  "test/support/cost/*.test.ts",
  "{runners,clients}/**/*.test.{ts,mjs}",
  "functions/build/**/*.test.ts",
  "statemachines/localstack.test.ts",
  "core/signatures/languages/*.test.ts",
  "engine/commands/test/flaky.test.ts",
];

const notTests = ["**/node_modules/**", "**/fixtures/**"];

/** Tests of use cases stand beside them too. */
const useCases = "{services,functions,test/changes}/**/*.usecase.test.ts";

/** The limit of a wait for an expected value. Vitest's own is one second, which a busy machine exceeds. */
const expectOptions = { poll: { timeout: 60_000 } };

export default defineConfig({
  test: {
    // Tests wait for an engine and for programs: with three files at a time, two cores are idle for a sixth of the time, with four for a
    // fourteenth, with five for a thirtieth.
    maxWorkers: 5,
    sequence: { sequencer: SlowFirst },
    // The engine is given time to stop properly.
    teardownTimeout: 60_000,
    reporters: ["./test/support/reporter/reporter.ts"],
    projects: [
      {
        test: {
          name: "rules",
          expect: expectOptions,
          include: [`${ruleFolders}/**/*.test.ts`],
          exclude: [...notTests, ...programs],
          // Pure functions share nothing that a test could change, so all files of a worker load the modules once.
          pool: "threads",
          // To import the modules again for each file takes longer than the tests. Tests that need a new client reset the modules.
          isolate: false,
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: "unit",
          expect: expectOptions,
          include: [`${unitFolders}/**/*.test.{ts,mjs}`],
          exclude: [...notTests, useCases, ...programs],
          // To import the modules again for each file takes longer than the tests. Tests that need a new client reset the modules.
          isolate: false,
          // Some tests bundle code or synthesise the stack, which takes seconds, and many of them on a busy machine.
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "programs",
          expect: expectOptions,
          include: programs,
          exclude: notTests,
          testTimeout: 30_000,
        },
      },
      {
        test: {
          // Use cases, called in the test's own process over an engine's storage: no function is deployed.
          name: "services",
          expect: expectOptions,
          include: [useCases],
          globalSetup: ["./test/support/use-cases/setup/use-case-setup.ts"],
          setupFiles: ["./test/support/use-cases/setup/use-case-env.ts"],
          // Each world has its own tables, so all files of a worker load the modules once.
          isolate: false,
          // One test plays its use case once for each write that may fail. A test that runs out of time continues in its worker, and moves the clock of those after it.
          testTimeout: 300_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "e2e",
          expect: expectOptions,
          include: ["test/e2e/**/*.test.ts"],
          globalSetup: ["./test/support/engine/global-setup.ts"],
          // Files share nothing but the service, so those of a worker load the test support once.
          isolate: false,
          // A first save builds, and a first call starts a process for each function it passes.
          testTimeout: 120_000,
          // Tests that stop and start an engine start a separate instance.
          hookTimeout: 240_000,
        },
      },
    ],
  },
});
