import { expect } from "vitest";

/** Repeats a call, which succeeds or is refused with one of these codes. */
export const repeat = (call: () => Promise<unknown>, codes: string[]) =>
  call().then(
    () => undefined,
    (error: unknown) => expect(codes).toContain((error as { code?: string }).code ?? String(error)),
  );
