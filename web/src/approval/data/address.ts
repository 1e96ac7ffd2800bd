/** The approval that a page shows. */
export interface Address {
  workspace: string;
  id: string;
  /** The token of a link: `<resume id>.<signature>.<approver>`. Absent for signed-in users. */
  token?: string;
  /** The number of the link, which distinguishes the approvals of one person. */
  resumeId?: number;
}

/** `/approve/{workspace}/{id}/{resume id}/{signature}?approver=…`, or without a link `/approve/{workspace}/{id}`; `undefined`: neither. */
export function addressOf({ pathname, search }: Pick<Location, "pathname" | "search">): Address | undefined {
  const [page, workspace, id, resumeId, signature, ...more] = pathname.split("/").filter((part) => part !== "");
  if (page !== "approve" || !workspace || !id || more.length > 0) return undefined;
  const approval = { workspace: decode(workspace), id: decode(id) };
  if (resumeId === undefined) return approval;
  if (!/^\d{1,10}$/.test(resumeId) || !signature) return undefined;
  const approver = new URLSearchParams(search).get("approver") ?? "";
  return { ...approval, token: `${resumeId}.${signature}.${approver}`, resumeId: Number(resumeId) };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
