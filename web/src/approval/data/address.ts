/** Which approval a page is for. */
export interface Address {
  workspace: string;
  id: string;
  /** Of a link, as the API takes it: `<resume id>.<signature>.<approver>`. Absent where people come signed in. */
  token?: string;
  /** Of the link: one person's approvals are told apart by it. */
  resumeId?: number;
}

/** `/approve/{workspace}/{id}/{resume id}/{signature}?approver=…`, or without a link `/approve/{workspace}/{id}`; `undefined`: neither. */
export function addressOf({ pathname, search }: Pick<Location, "pathname" | "search">): Address | undefined {
  const [page, workspace, id, resumeId, signature, ...more] = pathname.split("/").filter((part) => part !== "");
  if (page !== "approve" || !workspace || !id || more.length > 0) return undefined;
  const place = { workspace: decode(workspace), id: decode(id) };
  if (resumeId === undefined) return place;
  if (!/^\d{1,10}$/.test(resumeId) || !signature) return undefined;
  const approver = new URLSearchParams(search).get("approver") ?? "";
  return { ...place, token: `${resumeId}.${signature}.${approver}`, resumeId: Number(resumeId) };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
