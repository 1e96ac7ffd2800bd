/** The values of a form as texts, by the labels of its fields. */
export type Described = Readonly<Record<string, string>>;

/** Returns the fields whose texts differ, in the order of the first form. */
export function differingFields(mine: Described, theirs: Described): { name: string; mine: string; theirs: string }[] {
  const names = [...new Set([...Object.keys(mine), ...Object.keys(theirs)])];
  return names.map((name) => ({ name, mine: mine[name] ?? "", theirs: theirs[name] ?? "" })).filter((field) => field.mine !== field.theirs);
}
