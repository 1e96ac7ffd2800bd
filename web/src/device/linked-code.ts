/** Returns the code in the page's address (`verification_uri_complete` of RFC 8628), or `undefined` if the user must enter it. */
export function linkedCode({ search }: Pick<Location, "search">): string | undefined {
  const code = new URLSearchParams(search).get("user_code")?.trim();
  return code ? code.slice(0, 50) : undefined;
}
