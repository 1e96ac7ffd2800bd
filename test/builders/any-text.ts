import fc from "fast-check";

const codePoint = fc.oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }));

/**
 * Text of any code points but halves of surrogate pairs. `fc.string` with the unit `binary` draws the same, and first takes half a second
 * of each process to find out how to shrink texts that others have drawn.
 */
export const anyText = (length: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.array(codePoint, length).map((points) => String.fromCodePoint(...points));
