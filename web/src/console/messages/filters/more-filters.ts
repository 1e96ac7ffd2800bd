export const moreFiltersText = {
  trigger: "Trigger",
  anyTrigger: "Any",
  /** The name of each filter in the address, its label and its placeholder. */
  fields: [
    ["label", "Label", ""],
    ["args", "Arguments", '{"name": "Ann"}'],
    ["result", "Result", '{"total": 1}'],
    ["error", "Name of the error", "TypeError"],
    ["schedule_path", "Schedule", "f/…"],
    ["trigger_path", "Path of the trigger", "f/…"],
    ["script_hash", "Version", ""],
    ["tag", "Tag", ""],
    ["worker", "Worker", ""],
  ],
} as const;
