import { dateText } from "./time.ts";

export function When({ at }: { at: string }) {
  return <time dateTime={at}>{dateText(at)}</time>;
}
