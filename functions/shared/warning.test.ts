import { expect, it } from "vitest";
import { addWarning, nameSome } from "./warning.ts";

const reply = { statusCode: 201, headers: { "content-type": "text/plain" }, body: "saved" };

it("the reply to a save has the warning of the object, and none if the warning cannot be determined", async () => {
  expect(await addWarning(reply, "not checked", async () => "Others may.")).toEqual({
    ...reply,
    headers: { ...reply.headers, "x-svc-warning": "Others may." },
  });
  expect(await addWarning(reply, "not checked", async () => undefined)).toEqual(reply);
  expect(await addWarning(reply, "not checked", () => Promise.reject(new Error("The table is busy.")))).toEqual(reply);
});

it("a warning names at most five, and shows that there are more", () => {
  expect(nameSome(["a", "b", "c", "d", "e"])).toBe("a, b, c, d, e");
  expect(nameSome(["a", "b", "c", "d", "e", "f"])).toBe("a, b, c, d, e, ...");
});
