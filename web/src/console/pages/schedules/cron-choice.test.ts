import { expect, it } from "vitest";
import { type CronChoice, parseChoice, toCron } from "./cron-choice.ts";

const table: [string, CronChoice][] = [
  ["* * * * *", { every: "minutes", step: 1 }],
  ["*/15 * * * *", { every: "minutes", step: 15 }],
  ["5 * * * *", { every: "hour", minute: 5 }],
  ["30 8 * * *", { every: "day", minute: 30, hour: 8 }],
  ["0 8 * * 0,6", { every: "week", minute: 0, hour: 8, days: [0, 6] }],
  ["0 6 1 * *", { every: "month", minute: 0, hour: 6, day: 1 }],
];

it.each(table)("%s is a choice of the builder, which writes the same expression", (cron, choice) => {
  expect(parseChoice(cron)).toEqual(choice);
  expect(toCron(choice)).toBe(cron);
});

it("an expression with second 0 is the same choice", () => {
  expect(parseChoice("0 30 8 * * *")).toEqual({ every: "day", minute: 30, hour: 8 });
  expect(parseChoice("0 0 8 * * 1-2")).toEqual({ every: "week", minute: 0, hour: 8, days: [1, 2] });
});

it("a range of days is a list of them", () => {
  expect(parseChoice("0 8 * * 1-5")).toEqual({ every: "week", minute: 0, hour: 8, days: [1, 2, 3, 4, 5] });
});

it.each([
  "",
  "*/7 * * * *",
  "0 8 1 * 1",
  "0 8 * 1 *",
  "30 0 8 * * *",
  "*/10 * * * * *",
  "60 8 * * *",
  "0 24 * * *",
  "0 8 * * 5-1",
  "0 8 * * MON",
  "0 8 32 * *",
])("the builder leaves %s to the text", (cron) => {
  expect(parseChoice(cron)).toBeUndefined();
});
