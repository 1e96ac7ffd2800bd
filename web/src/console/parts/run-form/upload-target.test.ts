import { describe, expect, it } from "vitest";
import { API_UPLOAD_BYTES, findUploadTarget, formatSize, toStorageRefusal, UPLOAD_BYTES } from "./upload-target.ts";

describe("the target of an upload", () => {
  it("is the address of the upload, on the origin of the page", () => {
    const url = "https://svc.example.com/upload/files/w/a%20b.csv?X-Amz-Signature=a%2Fb";
    expect(findUploadTarget(url, UPLOAD_BYTES)).toBe("/upload/files/w/a%20b.csv?X-Amz-Signature=a%2Fb");
  });

  it("is the API if there is no such address and the file is small", () => {
    expect(findUploadTarget(undefined, API_UPLOAD_BYTES)).toBeUndefined();
  });

  it.each([
    ["of more than 4 MB through the API", undefined, API_UPLOAD_BYTES + 1, /stores at most 4 MB/],
    ["of more than 5 GB", "https://svc.example.com/upload/a", UPLOAD_BYTES + 1, /at most 5 GB/],
  ])("does not exist for a file %s", (_, url, bytes, sentence) => {
    expect(() => findUploadTarget(url, bytes)).toThrow(
      expect.objectContaining({ code: "page.fileTooLarge", message: expect.stringMatching(sentence) }),
    );
  });
});

it.each([
  [403, /expired/],
  [413, /at most 5 GB/],
  [503, /refused the file \(503\)/],
])("a refusal of the bucket with status %i says what to do", (status, sentence) => {
  expect(toStorageRefusal(status).message).toMatch(sentence);
});

it.each([
  [0, "0 B"],
  [1023, "1,023 B"],
  [1024, "1 KB"],
  [3.45 * 1024 ** 2, "3.5 MB"],
  [2 * 1024 ** 4, "2,048 GB"],
])("%d bytes are shown as %s", (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});
