/**
 * A requirement may contain a distribution of the registry, extras, versions and a marker. Options (`-r`, `-e`, `--index-url`), paths, URLs
 * and version control are rejected, because each would make the build read or fetch content from outside the registry.
 */
const REQUIREMENT =
  /^[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?\s*(?:\[[\w\s,.-]*\])?\s*(?:\(?\s*(?:===|==|~=|!=|<=|>=|<|>)\s*[\w.*+!-]+(?:\s*,\s*(?:===|==|~=|!=|<=|>=|<|>)\s*[\w.*+!-]+)*\s*\)?)?\s*(?:;[\w\s.'"()<>=!~-]+)?$/;

/** Control characters, and every line break of any installer: an option could begin after one. Python's `str.splitlines` splits at eleven characters. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;
/** No part of a requirement begins with a dash, as options do. */
const OPTION = /(?:^|\s)-/;

/** Returns whether a text is a valid requirement of at most 1000 characters, which is one line without options. */
export function isRequirement(text: string): boolean {
  if (CONTROL.test(text.replaceAll("\t", " ")) || OPTION.test(text)) return false;
  // Repeated spaces are collapsed, because the pattern would backtrack over every way to divide them.
  return text.length <= 1000 && REQUIREMENT.test(text.replace(/\s+/g, " "));
}

/** Removes a comment at the end of a line: a `#` at its beginning or after a space. */
export function removeComment(line: string): string {
  const at = line.search(/(?:^|\s)#/);
  return at === -1 ? line : line.slice(0, at);
}
