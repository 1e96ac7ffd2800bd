import { describe, expect, it } from "vitest";
import { limits } from "../../../../../contract/limits.ts";
import { formatSize } from "./format-size.ts";
import { API_UPLOAD_BYTES, checkSize, findUploadTarget, toStorageRefusal, UPLOAD_BYTES } from "./upload-target.ts";

describe("the target of an upload", () => {
  it("is the address of the upload, on the origin of the page", () => {
    const url = "https://svc.example.com/upload/files/w/a%20b.csv?X-Amz-Signature=a%2Fb";
    expect(findUploadTarget(url, UPLOAD_BYTES)).toBe("/upload/files/w/a%20b.csv?X-Amz-Signature=a%2Fb");
  });

  it("is the API if there is no such address and the file is small", () => {
    expect(findUploadTarget(undefined, API_UPLOAD_BYTES)).toBeUndefined();
  });

  it("does not exist for a file of more than 4 MB through the API", () => {
    expect(() => findUploadTarget(undefined, API_UPLOAD_BYTES + 1)).toThrow(
      expect.objectContaining({ code: "page.fileTooLarge", message: expect.stringMatching(/stores at most 4 MB/) }),
    );
  });
});

it("a file has at most the size that the service accepts", () => {
  expect(UPLOAD_BYTES).toBe(limits.uploadBytes);
  expect(() => checkSize(UPLOAD_BYTES)).not.toThrow();
  expect(() => checkSize(UPLOAD_BYTES + 1)).toThrow(expect.objectContaining({ message: expect.stringMatching(/at most 50 GB/) }));
});

it.each([
  [403, /expired/],
  [404, /time is over/],
  [413, /at most 50 GB/],
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
