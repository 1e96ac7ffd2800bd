/** What fetches links to look at them, and not to follow them: chat previews, mail scanners, search engines. */
const LOOKERS =
  /bot\b|crawl|spider|preview|slack|discord|telegram|whatsapp|skype|teams|facebookexternalhit|twitter|linkedin|embedly|outlook|office|safelinks|proofpoint|mimecast|barracuda|symantec|messagelabs|trendmicro|sophos|cisco|ironport|fireeye|google|bing|yahoo|yandex|duckduck|baidu/i;

type Headers = Readonly<Record<string, string | undefined>>;

/**
 * Whether a `GET` decides. A program's does; what a browser sends when somebody opens a link, and what a machine sends to look at it first, shows the page.
 * `always`: the workspace wants every `GET` to count.
 */
export async function isApprovalGet(headers: Headers, always: () => Promise<boolean>): Promise<boolean> {
  if (isAhead(headers)) return false;
  const agent = headers["user-agent"] ?? "";
  const opens =
    /text\/html|application\/xhtml/i.test(headers["accept"] ?? "") || /^(document|iframe|navigate)$/.test(headers["sec-fetch-dest"] ?? "");
  const looks = opens || headers["sec-fetch-mode"] === "navigate" || /^mozilla\//i.test(agent) || LOOKERS.test(agent);
  return !looks || always();
}

/** Fetched before anybody asked for it. */
function isAhead(headers: Headers): boolean {
  const purpose = [headers["purpose"], headers["sec-purpose"], headers["x-purpose"], headers["x-moz"]].join(" ");
  return /prefetch|preview|prerender/i.test(purpose);
}
