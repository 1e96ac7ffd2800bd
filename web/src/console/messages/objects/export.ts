/** The texts of exports. */
export const exportText = {
  export: "Export",
  csv: "CSV",
  jsonLines: "JSON lines",
  exporting: (count: number) => `${count} items read`,
  stop: "Stop",
} as const;
