import type { Payload } from "../../contract/payload.ts";

/** A call of a vendor, which is not verified yet. `path`: the path of the resource whose address the vendor called. */
export interface ReceivedCall {
  workspace: string;
  path: string;
  headers: Payload["headers"];
  readPayload: () => Promise<Payload>;
}
