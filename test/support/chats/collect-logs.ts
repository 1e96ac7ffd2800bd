import { vi } from "vitest";
// It connects the reports of use cases with the logger of the functions.
import "../../../functions/shared/observe.ts";

/** Collects the lines that the functions write to their logs, until all mocks are restored. */
export function collectLogs(): string[] {
  const lines: string[] = [];
  const collect = (line: unknown) => {
    lines.push(String(line));
    return true;
  };
  vi.spyOn(process.stdout, "write").mockImplementation(collect);
  vi.spyOn(process.stderr, "write").mockImplementation(collect);
  for (const method of ["log", "info", "warn", "error", "debug"] as const)
    vi.spyOn(console, method).mockImplementation((...parts) => void lines.push(JSON.stringify(parts)));
  return lines;
}
