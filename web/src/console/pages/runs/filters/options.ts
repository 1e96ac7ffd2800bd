/** Returns the options of a choice from their texts. The first one chooses nothing. */
export const toOptions = (texts: Readonly<Record<string, string>>, none: string) => [
  { value: "", label: none },
  ...Object.entries(texts).map(([value, label]) => ({ value, label })),
];
