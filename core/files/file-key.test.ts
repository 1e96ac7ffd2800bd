import { describe, expect, it } from "vitest";
import { fileObjectKey, filePermissionTarget, findFileJob, jobFileKey, parseFile } from "./file-key.ts";

const JOB = "01a1feec-e3e7-7329-a1e3-40996adc64c6";

describe("file keys", () => {
  it("workspaces have separate files, and a job's files are stored with the job", () => {
    expect(fileObjectKey("ws", "a/b.txt")).toBe("files/ws/a/b.txt");
    expect(fileObjectKey("ws", jobFileKey({ id: JOB, retention: "short" }, "x/d.txt"))).toBe(`jobs/ws/${JOB}/files/x/d.txt`);
    expect(fileObjectKey("ws", jobFileKey({ id: JOB, retention: "long" }, "x/d.txt"))).toBe(`long-lived/ws/${JOB}/files/x/d.txt`);
    expect(fileObjectKey("ws", "jobs/report.txt")).toBe("files/ws/jobs/report.txt");
  });
  it.each(["", "/a", "a//b", "../a", "a/..", "a/./b", "a\\b", "a\nb", `jobs/${JOB}/../x`, "é".repeat(451)])("refuses %j", (key) => {
    expect(() => fileObjectKey("ws", key)).toThrow(expect.objectContaining({ code: "file.key" }));
  });
});

it("a file's job is read from its key", () => {
  expect([
    findFileJob(jobFileKey({ id: JOB, retention: "long" }, "d")),
    findFileJob(`x/jobs/${JOB}/d`),
    findFileJob(`jobs/${JOB}`),
  ]).toEqual([JOB, undefined, undefined]);
});

it("keys under u/<user>/ and f/<folder>/ are paths, and every member may use other keys", () => {
  expect(filePermissionTarget("ws", "f/ops/a/b")).toEqual({ workspace: "ws", path: "f/ops/a/b" });
  expect(filePermissionTarget("ws", "u/ann/a")).toEqual({ workspace: "ws", path: "u/ann/a" });
  for (const key of ["f/ops", "reports/a", "uf/x/y", "uploads/f/ops/x"])
    expect(filePermissionTarget("ws", key)).toEqual({ workspace: "ws" });
});

it("the short form of a file names storage and key", () => {
  expect(parseFile("s3://more/a/b", undefined)).toEqual({ fileKey: "a/b", storage: "more" });
  expect(parseFile("s3:///a/b", undefined)).toEqual({ fileKey: "a/b", storage: undefined });
  expect(parseFile("a/b", "more")).toEqual({ fileKey: "a/b", storage: "more" });
});
