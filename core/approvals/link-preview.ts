import { createIsbotFromList, isbotPatterns, list } from "isbot";

/** User agents of programs that call an approval link on purpose. isbot counts them as bots. */
const PROGRAMS = [
  "axios/1.7.2",
  "curl/8.4.0",
  "Go-http-client/2.0",
  "GitHub-Hookshot/abc123",
  "Java/17",
  "node",
  "node-fetch/1.0",
  "okhttp/4.9.0",
  "PostmanRuntime/7.36.0",
  "python-requests/2.31.0",
  "Wget/1.21",
];

/** Mail gateways, office programs and link previews that isbot does not list. They open a link before its reader does. */
const SCANNERS =
  /office|outlook|teams|skype|safelinks|proofpoint|mimecast|barracuda|symantec|messagelabs|trendmicro|sophos|cisco|ironport|fireeye|embedly/i;

const patternsOfPrograms = new Set(PROGRAMS.flatMap((agent) => isbotPatterns(agent)));
const isCrawler = createIsbotFromList(list.filter((pattern) => !patternsOfPrograms.has(pattern)));
const isPreviewAgent = (agent: string) => isCrawler(agent) || SCANNERS.test(agent);

type Headers = Readonly<Record<string, string | undefined>>;

/**
 * Returns whether a `GET` of an approval link counts as a decision. It counts for programs. Browsers, link previews and mail scanners get the
 * page instead, so that opening a link decides nothing. `everyGetCounts` reads the workspace's setting that makes each `GET` count.
 */
export async function isApprovalGet(headers: Headers, everyGetCounts: () => Promise<boolean>): Promise<boolean> {
  if (isPrefetch(headers)) return false;
  const agent = headers["user-agent"] ?? "";
  const isNavigation =
    /text\/html|application\/xhtml/i.test(headers["accept"] ?? "") ||
    /^(document|iframe|navigate)$/.test(headers["sec-fetch-dest"] ?? "") ||
    headers["sec-fetch-mode"] === "navigate";
  const showsPage = isNavigation || /^mozilla\//i.test(agent) || isPreviewAgent(agent);
  return !showsPage || everyGetCounts();
}

function isPrefetch(headers: Headers): boolean {
  const purpose = [headers["purpose"], headers["sec-purpose"], headers["x-purpose"], headers["x-moz"]].join(" ");
  return /prefetch|preview|prerender/i.test(purpose);
}
