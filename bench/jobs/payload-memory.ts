import { readFileSync, writeFileSync } from "node:fs";
import { parseArguments } from "../../core/payload/arguments.ts";

/** Measures, in a separate process, the maximum memory for a form of 4 MB in multiples of its size, including the form. */
const MB = 1024 * 1024;
const contentType = "multipart/form-data; boundary=cut";
const HEAD = '--cut\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n';
const TAIL = "\r\n--cut--\r\n";
/** The form is written in place, because a discarded copy would distort the measurement. */
function formOf(bytes: number): Buffer {
  const form = Buffer.alloc(bytes, "x");
  form.write(HEAD);
  form.write(TAIL, bytes - TAIL.length);
  return form;
}
const parse = (bytes: Buffer) =>
  parseArguments(
    { method: "POST", headers: { "content-type": contentType }, query: {}, bytes },
    { wrapBody: false, raw: false, headers: [], query: [] },
  );
const most = () => Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "latin1"))?.[1]) * 1024;

// The code is loaded and warm.
for (let at = 0; at < 20; at++) await parse(formOf(64 * 1024));
const form = formOf(4 * MB);
globalThis.gc?.();
globalThis.gc?.();
// This resets the maximum to the current value.
writeFileSync("/proc/self/clear_refs", "5");
const before = most();
const { files } = await parse(form);
if (files[0]?.bytes.length !== 4 * MB - HEAD.length - TAIL.length) throw new Error("The form was not read whole.");
process.stdout.write(JSON.stringify((form.length + most() - before) / form.length));
