import { describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { choosePartBytes, countParts, listCompleteParts, listMissingParts } from "./upload.ts";

const MB = 1024 * 1024;

describe("the parts of an upload", () => {
  it.each([1, 8 * MB, 8 * MB + 1, 5 * 1024 * MB, limits.uploadBytes])("of %d bytes are few, and large enough for S3", (bytes) => {
    const partBytes = choosePartBytes(bytes);
    const count = countParts({ bytes, partBytes });
    expect(partBytes).toBeGreaterThanOrEqual(5 * MB);
    expect(count).toBeLessThanOrEqual(limits.uploadParts);
    expect((count - 1) * partBytes).toBeLessThan(bytes);
    expect(count * partBytes).toBeGreaterThanOrEqual(bytes);
  });

  it("are complete only with their sizes", () => {
    const part = (number: number, bytes: number) => ({ number, bytes, etag: `"${number}"` });
    const upload = { bytes: 20, partBytes: 8 };
    expect(listCompleteParts(upload, [part(3, 4), part(1, 8), part(2, 7), part(4, 8)]).map(({ number }) => number)).toEqual([1, 3]);
    expect(listCompleteParts(upload, [part(3, 8)])).toEqual([]);
  });

  it("are missing if the bucket has none with their number", () => {
    expect(listMissingParts({ bytes: 20, partBytes: 8 }, [{ number: 2 }])).toEqual([1, 3]);
    expect(listMissingParts({ bytes: 1, partBytes: 8 }, [{ number: 1 }])).toEqual([]);
  });
});
