/** The simple choices of the builder of cron expressions. */
export type CronChoice =
  | { every: "minutes"; step: number }
  | { every: "hour"; minute: number }
  | { every: "day"; minute: number; hour: number }
  | { every: "week"; minute: number; hour: number; days: readonly number[] }
  | { every: "month"; minute: number; hour: number; day: number };

/** The steps that divide an hour, so that all intervals are equal. */
export const MINUTE_STEPS = [1, 2, 3, 5, 6, 10, 12, 15, 20, 30] as const;

/** Writes a choice as an expression of five fields. Sunday is day 0 of a week. */
export function toCron(choice: CronChoice): string {
  switch (choice.every) {
    case "minutes":
      return choice.step === 1 ? "* * * * *" : `*/${choice.step} * * * *`;
    case "hour":
      return `${choice.minute} * * * *`;
    case "day":
      return `${choice.minute} ${choice.hour} * * *`;
    case "week":
      return `${choice.minute} ${choice.hour} * * ${[...choice.days].sort((a, b) => a - b).join(",")}`;
    default:
      return `${choice.minute} ${choice.hour} ${choice.day} * *`;
  }
}

/** Reads an expression of five fields as a choice, or of six that begin with second 0. Undefined: the builder does not offer it. */
export function parseChoice(cron: string): CronChoice | undefined {
  const all = cron.trim().split(/\s+/);
  const fields = all.length === 6 && /^00?$/.test(all[0] ?? "") ? all.slice(1) : all;
  if (fields.length !== 5) return undefined;
  const [minuteField = "", hourField = "", dayField = "", monthField = "", weekField = ""] = fields;
  if (monthField !== "*") return undefined;
  const isDaily = dayField === "*" && weekField === "*";
  if (isDaily && hourField === "*") {
    const step = minuteField === "*" ? 1 : Number(/^\*\/(\d{1,2})$/.exec(minuteField)?.[1]);
    if (MINUTE_STEPS.some((each) => each === step)) return { every: "minutes", step };
  }
  const minute = readNumber(minuteField, 0, 59);
  if (minute === undefined) return undefined;
  if (isDaily && hourField === "*") return { every: "hour", minute };
  const hour = readNumber(hourField, 0, 23);
  if (hour === undefined) return undefined;
  if (isDaily) return { every: "day", minute, hour };
  if (dayField === "*") {
    const days = readDays(weekField);
    return days && { every: "week", minute, hour, days };
  }
  const day = weekField === "*" ? readNumber(dayField, 1, 31) : undefined;
  return day === undefined ? undefined : { every: "month", minute, hour, day };
}

function readNumber(field: string, least: number, most: number): number | undefined {
  const number = /^\d{1,2}$/.test(field) ? Number(field) : Number.NaN;
  return number >= least && number <= most ? number : undefined;
}

/** Reads a list of days and ranges: `1-5` or `0,6`. */
function readDays(field: string): number[] | undefined {
  const days = new Set<number>();
  for (const part of field.split(",")) {
    const [, first = "", last = first] = /^([0-6])(?:-([0-6]))?$/.exec(part) ?? [];
    if (first === "" || Number(last) < Number(first)) return undefined;
    for (let day = Number(first); day <= Number(last); day += 1) days.add(day);
  }
  return [...days].sort((a, b) => a - b);
}
