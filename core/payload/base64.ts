/** Returns whether a text is base64 in either alphabet, padded or not. Node's decoder accepts any text and skips invalid characters. */
export function isBase64(text: string): boolean {
  const [, digits = "", padding = ""] = /^([A-Za-z0-9+/_-]*)(={0,2})$/.exec(text) ?? [undefined, "a"];
  return digits.length % 4 !== 1 && (padding === "" || (digits.length + padding.length) % 4 === 0);
}
