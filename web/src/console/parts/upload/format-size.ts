const UNITS = ["B", "KB", "MB", "GB"] as const;

/** Formats a size: `3.4 MB`. */
export function formatSize(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log(bytes) / Math.log(1024)));
  const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: power < 2 ? 0 : 1 }).format(bytes / 1024 ** power);
  return `${number} ${UNITS[power]}`;
}
