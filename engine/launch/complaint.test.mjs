import { expect, it } from "vitest";
import { Complaint, explain } from "./complaint.mjs";

/** Returns what is printed for an error. */
function printed(error) {
  let text = "";
  expect(explain(error, { write: (part) => (text += part) })).toBe(1);
  return text;
}

it("a complaint is printed as its sentence alone", () => {
  expect(printed(new Complaint("The port 8000 is in use. Choose another one with --port."))).toBe(
    "\nThe port 8000 is in use. Choose another one with --port.\n",
  );
});

it("any other error is printed with its causes, because a refused connection is only named there", () => {
  const text = printed(new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:8000") }));
  expect(text).toContain("TypeError: fetch failed");
  expect(text).toContain("connect ECONNREFUSED 127.0.0.1:8000");
});
