/** The cookie of a session: scripts of a page cannot read it, and other sites' forms do not send it. */
export function sessionCookie(baseUrl: string, token: string, maxAgeS: number): string {
  const secure = baseUrl.startsWith("https:") ? "; Secure" : "";
  return `token=${token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeS}${secure}`;
}
