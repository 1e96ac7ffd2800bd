export const formatLabels = (labels: readonly string[]): string => labels.join(", ");

/** Returns the labels of a text with commas, each one once. */
export const parseLabels = (text: string): string[] => [
  ...new Set(
    text
      .split(",")
      .map((label) => label.trim())
      .filter(Boolean),
  ),
];
