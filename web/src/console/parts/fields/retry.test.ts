import { expect, it } from "vitest";
import { formatLabels, parseLabels } from "./labels.ts";
import { toRetryChoice, withRetryChoice } from "./retry.ts";

it("reads retries with one kind of pauses, and none of both kinds", () => {
  expect(toRetryChoice(undefined)).toMatchObject({ pauses: "none" });
  expect(toRetryChoice({ constant: { attempts: 2, seconds: 5 } })).toMatchObject({ pauses: "constant", attempts: 2, seconds: 5 });
  expect(toRetryChoice({ exponential: { attempts: 4, multiplier: 3 } })).toMatchObject({
    pauses: "exponential",
    seconds: 0,
    multiplier: 3,
  });
  expect(toRetryChoice({ constant: { attempts: 1 }, exponential: { attempts: 1 } })).toBeUndefined();
});

it("retains what the form does not show, and removes retries with null", () => {
  const stored = { exponential: { attempts: 4, random_factor: 10 }, retry_if: { expr: "error.code == 1" } };
  const choice = { pauses: "exponential", attempts: 5, seconds: 1, multiplier: 2 } as const;
  expect(withRetryChoice(stored, choice)).toEqual({
    exponential: { attempts: 5, random_factor: 10, seconds: 1, multiplier: 2 },
    retry_if: { expr: "error.code == 1" },
  });
  expect(withRetryChoice(stored, { ...choice, pauses: "constant" })).toEqual({
    constant: { attempts: 5, seconds: 1 },
    retry_if: { expr: "error.code == 1" },
  });
  expect(withRetryChoice(stored, { ...choice, pauses: "none" })).toBeNull();
});

it("labels are separated by commas, and counted once", () => {
  expect(parseLabels(" shop, ,orders,shop ")).toEqual(["shop", "orders"]);
  expect(parseLabels(formatLabels(["a", "b"]))).toEqual(["a", "b"]);
});
