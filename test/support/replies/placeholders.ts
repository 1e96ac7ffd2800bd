/**
 * The values that are other ones in each run, by the names of their placeholders. The first pattern that matches is used. Each
 * recording sets the clock, so only times of other services are among them.
 */
const PATTERNS = {
  version: /(?<=ETag: ")[0-9a-f]{8}-[0-9a-f-]{27}(?=")/,
  jwt: /eyJ[\w-]{10,}\.[\w-]+\.[\w-]*/,
  cursor: /(?<=x-next-cursor: )\S+/,
  sealed: /c3Zj[A-Za-z0-9+/]{40,}=*|(?<=__Host-svc_connect=)[^;\s]+/,
  id: /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/,
  token: /(?<![\w-])[\w-]{59}(?![\w-])/,
  prefix: /(?<="token_prefix": "|starts with |scopes of |label of |The token )[\w-]{10}(?=["….])/,
  link: /(?<=\/share\/)[\w-]{64}/,
  secret: /whsec_[A-Za-z0-9+/]{43}=|(?<![\w-])(?=[\w-]*[A-Z\d])[\w-]{43}(?![\w-])/,
  key: /(?<="n": ")[\w-]{300,}|(?<="key": ")[A-Za-z\d]{64}/,
  nonce: /(?<=nonce-)[\w-]{22}/,
  signed: /(?<=X-Amz-(?:Credential|Date|Signature)=)[^&"\s]+/,
  engine: /http:\/\/127\.0\.0\.1:\d+/,
  // 13 digits are a time.
  hash: /(?<![0-9a-zA-Z])(?!\d{13}(?![0-9a-f]))[0-9a-f]{12,64}(?![0-9a-zA-Z])/,
  code: /(?<![\w-])[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}(?![\w-])/,
  time: /202\d-\d\d-\d\dT[\d:.]+Z/,
};
const ANY = new RegExp(
  Object.entries(PATTERNS)
    .map(([name, { source }]) => `(?<${name}>${source})`)
    .join("|"),
  "g",
);

/**
 * Returns a function that replaces these values by placeholders, numbered by their first appearance. The same value has the same placeholder in
 * all texts, so that their relations are still compared.
 */
export function createPlaceholders(): (text: string) => string {
  const known = new Map<string, string>();
  const counts = new Map<string, number>();
  return (text) =>
    text.replace(ANY, (value: string, ...rest: unknown[]) => {
      const found = known.get(value);
      if (found !== undefined) return found;
      const groups = rest.at(-1) as Record<string, string | undefined>;
      const [name = "value"] = Object.entries(groups).find(([, matched]) => matched !== undefined) ?? [];
      // Two URLs that are signed in the same second have the same date.
      if (name === "signed") return "<signed>";
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      known.set(value, `<${name} ${count}>`);
      return `<${name} ${count}>`;
    });
}
