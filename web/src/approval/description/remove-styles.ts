/**
 * Removes style elements and style attributes from HTML. They have no effect, and parsing them would log a violation of the page's policy.
 * A tag that is never closed extends to the end of the text, as it does for the browser. Without this rule, many such tags took quadratic time.
 */
export const removeStyles = (html: string) =>
  html
    .replace(/<style\b[^>]*(?:>[\s\S]*?(?:<\/style\s*>|$)|$)/gi, "")
    .replace(/<[a-z][^>]*(?:>|$)/gi, (tag) => tag.replace(/\sstyle\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/gi, ""));
