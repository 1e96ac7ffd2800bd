import { vi } from "vitest";

/** The output of a test's process since `capturePrinted`. A test may empty both texts. */
export interface Printed {
  stdout: string;
  stderr: string;
}

/** Collects what this process prints, instead of printing it, until the mocks are restored. */
export function capturePrinted(): Printed {
  const printed: Printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      printed[name] += String(text);
      return true;
    });
  return printed;
}
