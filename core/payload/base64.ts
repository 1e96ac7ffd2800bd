/** Whether a text is base64 in either alphabet, padded or not: Node reads anything, and leaves out what it does not know. */
export function isBase64(text: string): boolean {
  const [, digits = "", padding = ""] = /^([A-Za-z0-9+/_-]*)(={0,2})$/.exec(text) ?? [undefined, "a"];
  return digits.length % 4 !== 1 && (padding === "" || (digits.length + padding.length) % 4 === 0);
}
