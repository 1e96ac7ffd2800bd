import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { RunnerLanguage } from "../../contract/languages.ts";
import type { RunRequest } from "../protocol.ts";
import { filesOfJobs, isAlive, type Runner, startRunner, until } from "./harness.ts";
import type { Programs } from "./programs.ts";

/** Registers the tests of the guarantees of `runners/protocol.ts`, which every supervisor gives in every language. */
export function describeSupervision(language: RunnerLanguage, programs: Programs): void {
  describe(`the supervisor of ${language}`, () => {
    let runner: Runner;
    beforeAll(async () => {
      runner = await startRunner(language, { SVC_MEMORY_LIMIT_MB: "300" });
    });
    beforeEach(() => {
      runner.beats.length = 0;
      runner.reports.length = 0;
      runner.onBeat = () => ({ go: "on", watched: false });
      runner.onReport = () => 200;
    });
    afterAll(() => runner.close());

    const wait = programs.wait;
    const returnsOne = () => runner.run({ code: wait(0) });

    describe("heartbeats", () => {
      it("a short run sends neither heartbeats nor a report", async () => {
        expect(await returnsOne()).toMatchObject({ outcome: "success", result: 1, logs: { offset: 0, text: "begun\ndone\n" } });
        expect(runner.beats).toEqual([]);
        expect(runner.reports).toEqual([]);
      });

      it("a heartbeat contains the output so far with the attempt and its token; the outcome contains the rest", async () => {
        const request = runner.request({ code: wait(1.6) });
        const outcome = await runner.send(request);
        expect(runner.beats[0]).toMatchObject({
          job: request.job,
          attempt: 1,
          nonce: "nonce-of-this-attempt",
          authorization: "Bearer secret-job-token",
          logs: { offset: 0, text: "begun\n" },
          memPeakKb: expect.any(Number),
        });
        expect(outcome).toMatchObject({ outcome: "success", logs: { offset: 6, text: "done\n" }, memPeakKb: expect.any(Number) });
        expect(runner.reports).toEqual([]);
      });

      it("heartbeats contain output while the job is watched, without a gap in the offsets, which count UTF-16 units", async () => {
        runner.onBeat = () => ({ go: "on", watched: true });
        const outcome = await runner.run({ code: programs.count });
        const pieces = [...runner.beats.flatMap(({ logs }) => (logs?.text ? [logs] : [])), outcome.logs];
        expect(pieces.length).toBeGreaterThan(3);
        expect(pieces.map(({ text }) => text).join("")).toBe(Array.from({ length: 10 }, (_, n) => `𝄞${n}\n`).join(""));
        let offset = 0;
        for (const piece of pieces) {
          expect(piece.offset).toBe(offset);
          offset += piece.text.length;
        }
      });

      it("the next heartbeat repeats the output of a failed one", async () => {
        let calls = 0;
        runner.onBeat = () => (calls++ % 2 === 0 ? 500 : { go: "on", watched: true });
        const outcome = await runner.run({ code: wait(2.5) });
        expect(runner.beats.slice(0, 2).map(({ logs }) => logs)).toEqual([
          { offset: 0, text: "begun\n" },
          { offset: 0, text: "begun\n" },
        ]);
        const accepted = runner.beats.filter((_, index) => index % 2 === 1).map(({ logs }) => logs?.text ?? "");
        expect(accepted.join("") + outcome.logs.text).toBe("begun\ndone\n");
      });

      it.each([
        ["the order to stop", { go: "stop", reason: "canceled by ada", watched: false } as const, "canceled by ada"],
        ["status 401", 401, "This attempt of the job is no longer valid."],
        ["status 409", 409, "This attempt of the job is no longer valid."],
      ])("a heartbeat with %s in reply kills the run and its children", async (_, reply, message) => {
        runner.onBeat = () => reply;
        for (const dedicated of [false, true]) {
          runner.beats.length = 0;
          const outcome = await runner.run({ code: programs.waitForChild, dedicated, timeoutMs: 60_000 });
          expect(outcome).toMatchObject({ outcome: "killed", error: { name: "CanceledError", message } });
          const child = Number(runner.beats[0]?.logs?.text);
          expect(child).toBeGreaterThan(0);
          await until(() => !isAlive(child));
          if (language === "bash") expect(filesOfJobs(runner)).toEqual([]);
        }
        runner.onBeat = () => ({ go: "on", watched: false });
        expect(await returnsOne()).toMatchObject({ result: 1 });
      });
    });

    it("the supervisor reports the outcome of a run of more than 5 s, and repeats a rejected report", async () => {
      let calls = 0;
      runner.onReport = () => (calls++ === 0 ? 503 : 200);
      const request = runner.request({ code: wait(5.5) });
      const outcome = await runner.send(request);
      expect(runner.reports).toHaveLength(2);
      expect(runner.reports[1]).toMatchObject({
        job: request.job,
        attempt: 1,
        nonce: "nonce-of-this-attempt",
        outcome: { outcome: "success", result: 1, logs: outcome.logs },
      });
    });

    describe("the log", () => {
      it("the log counts offsets in UTF-16 units and replaces bytes that are not valid UTF-8", async () => {
        expect((await runner.run({ code: programs.brokenText })).logs).toEqual({ offset: 0, text: "𝄞\ufffd|\ufffd" });
      });

      it("a large log is mostly sent before the outcome, and returned completely when no heartbeat is accepted", async () => {
        const code = programs.printLine(600_000);
        const { logs } = await runner.run({ code });
        expect(logs.text.length).toBeLessThanOrEqual(256 * 1024);
        expect(logs.offset + logs.text.length).toBe(600_000);
        const whole = { offset: 0, text: "x".repeat(600_000) };
        runner.onBeat = () => 503;
        expect((await runner.run({ code })).logs).toEqual(whole);
        expect((await runner.run({ code, internalUrl: "http://127.0.0.1:1" })).logs).toEqual(whole);
      });

      it("the log is cut once at the limit, with a marker, and the script continues", async () => {
        const outcome = await runner.run({ code: programs.printLine(10_000_000) });
        const reportedText = runner.beats.map(({ logs }) => logs?.text ?? "").join("");
        const text = reportedText + outcome.logs.text;
        const marker = "\n[svc] The log was cut here: it reached the limit of 5 MB.\n";
        expect(outcome.result).toBe("through");
        expect(text.length).toBe(5 * 1024 * 1024 + marker.length);
        expect(text.endsWith(marker)).toBe(true);
        expect(text.split("[svc]")).toHaveLength(2);
        expect(outcome.logs.text.length).toBeLessThanOrEqual(256 * 1024);
        expect(outcome.logs.offset).toBe(reportedText.length);
      });
    });

    describe("limits", () => {
      it("the time limit ends a run, whose outcome contains the output so far", async () => {
        expect(await runner.run({ code: programs.endless, timeoutMs: 500 })).toMatchObject({
          outcome: "timeout",
          error: { name: "TimeoutError", message: "The script ran longer than its limit of 0.5 s and was stopped." },
          logs: { offset: 0, text: "begun\n" },
        });
      });

      it("the time limit ends a script that ignores signals", async () => {
        expect((await runner.run({ code: programs.deaf, timeoutMs: 500 })).outcome).toBe("timeout");
      });

      it.runIf(process.platform === "linux")("the memory limit ends a run with an error that names the limit", async () => {
        const outcome = await runner.run({ code: programs.allocate });
        expect(outcome).toMatchObject({
          outcome: "failure",
          error: { name: "MemoryError", message: "The script used more than its 300 MB of memory and was stopped." },
        });
        expect(outcome.memPeakKb).toBeGreaterThan(300 * 1024);
      });
    });

    describe("results", () => {
      it("a result beyond the inline limit is uploaded", async () => {
        const request = runner.request({ code: programs.text(100_000) });
        const outcome = await runner.send(request);
        expect(outcome).toMatchObject({ outcome: "success", resultUploaded: { bytes: 100_002 } });
        expect(outcome.result).toBeUndefined();
        const { type, body } = runner.uploads.get(request.job) ?? {};
        expect(type).toBe("application/json");
        expect(JSON.parse(body ?? "")).toBe("x".repeat(100_000));
      });

      it("a result beyond the limit fails the run", async () => {
        const outcome = await runner.run({ code: programs.text(2000), maxResultBytes: 1000 });
        expect(outcome).toMatchObject({ outcome: "failure", error: { name: "ResultTooLarge" } });
      });

      it("a result that is not JSON fails the run", async () => {
        const outcome = await runner.run({ code: programs.malformed });
        expect(outcome).toMatchObject({ outcome: "failure", error: { name: "ResultError" } });
      });

      it("a process that exits by itself has no result: the error names the exit code or the signal, and the output is returned", async () => {
        expect(await runner.run({ code: programs.exit })).toMatchObject({
          outcome: "failure",
          error: { name: "ExitError", exit_code: 4 },
          logs: { offset: 0, text: "last words\n" },
        });
        const killed = await runner.run({ code: programs.signal });
        expect(killed).toMatchObject({ outcome: "failure", error: { name: "ExitError", signal: "SIGKILL" } });
        expect(await returnsOne()).toMatchObject({ result: 1 });
      });
    });

    describe("isolation", () => {
      it("a script and its children see the job's variables and none of the supervisor's", async () => {
        const { logs } = await runner.run({ code: programs.environment, env: { OWN: "x" } });
        expect(logs.text.match(/^OWN=x$/gm)).toHaveLength(2);
        expect(logs.text).not.toMatch(/never-to-be-seen|secret-job-token|nonce-of-this-attempt|AWS_/);
      });

      it("each run has an empty private directory with mode 0700, which is removed afterwards", async () => {
        for (let run = 0; run < 3; run++) {
          expect((await runner.run({ code: programs.litter })).logs.text).toBe("tmp||home|drwx------\n");
        }
      });

      it("a run leaves no process behind, in whatever group or session, after a success and after a timeout", async () => {
        const mark = `6${Math.floor(Math.random() * 1e8)}`;
        const running = () => spawnSync("pgrep", ["-f", `^sleep ${mark}$`]).stdout.toString();
        const ended = await runner.run({ code: programs.hide(mark, 0.2) });
        await until(() => running() === "");
        const stopped = await runner.run({ code: programs.hide(mark, 300), timeoutMs: 1000 });
        await until(() => running() === "");
        expect([ended.outcome, stopped.outcome]).toEqual(["success", "timeout"]);
      });
    });

    it("the supervisor rejects an artefact whose hash differs, and one that cannot be downloaded", async () => {
      const request = runner.request({ code: wait(0) });
      const changed = await runner.send({ ...request, artefact: { ...request.artefact, sha256: "0".repeat(64) } });
      expect(changed).toMatchObject({ outcome: "failure", error: { name: "ArtefactError" } });
      const gone = { ...request.artefact, sha256: "1".repeat(64), url: `${runner.origin}/artefacts/gone?secret-signature` };
      const missing = await runner.send({ ...request, artefact: gone });
      expect(missing.error).toMatchObject({ name: "ArtefactError", message: expect.stringContaining("HTTP 404") });
      expect(missing.error?.message).not.toContain("secret-signature");
    });

    it("the outcome of a fault of the supervisor contains the fault for the log of its caller, and the next run works", async () => {
      const outcome = await runner.send({ ...runner.request({ code: wait(0) }), env: null as unknown as RunRequest["env"] });
      expect(outcome).toMatchObject({ outcome: "failure", error: { name: "RunnerError" }, problem: expect.stringContaining("TypeError") });
      expect(outcome.problem).not.toMatch(/secret-|nonce-of/);
      expect(await returnsOne()).toMatchObject({ result: 1 });
    });

    it("the supervisor logs one line of JSON for each run, without output, arguments, addresses or tokens", async () => {
      const before = runner.printed.length;
      const script = { code: programs.fail, params: ["a"], args: { a: "user-argument" }, env: { OWN: "user-variable" } };
      const request = runner.request(script);
      await runner.send(request);
      const lines = runner.printed.slice(before);
      expect(lines).toHaveLength(1);
      expect(JSON.parse(lines[0] ?? "")).toMatchObject({
        level: "INFO",
        message: "run",
        language,
        outcome: "failure",
        workspace: "demo",
        attempt: 1,
        tmp: "none",
      });
      expect(runner.printed.join("\n")).not.toMatch(/user-|secret-|nonce-of|never-to-be-seen|127\.0\.0\.1/);
    });
  });
}
