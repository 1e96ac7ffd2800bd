import { randomUUID } from "node:crypto";
import type { Workspace } from "../api/workspace.ts";

/**
 * Saves scripts that report their start and end to a witness (test/support/jobs/witness.ts): a quick one, and slow ones in three languages.
 */
export async function saveTellingScripts(ws: Workspace): Promise<void> {
  const tell = (what: string) => `curl -s -o /dev/null "$1/${what}?attempt=$OV_ATTEMPT&job=$OV_JOB_ID&token=$OV_TOKEN&tag=$2"`;
  await ws.saveScript({
    path: "f/t/slow",
    language: "bash",
    content: `url="$1"\ntag="$2"\nseconds="$3"\n${tell("begun")}\necho "attempt $OV_ATTEMPT"\nsleep "$3"\n${tell("ended")}\necho done`,
  });
  await ws.saveScript({ path: "f/t/quick", language: "bash", content: `url="$1"\ntag="$2"\n${tell("ran")}\necho done` });
  const slow = (then: string) => `export async function main(url: string) {
    await fetch(url + "/begun_ts?attempt=" + process.env.OV_ATTEMPT);
    if (process.env.OV_ATTEMPT === "1") await new Promise((resolve) => setTimeout(resolve, 60_000));
    return ${then};
  }`;
  await ws.saveScript({ path: "f/t/slow_bun", language: "bun", content: slow("'bun ' + process.env.OV_ATTEMPT") });
  await ws.saveScript({
    path: "f/t/slow_python3",
    language: "python3",
    content: `import os, time, urllib.request
def main(url: str):
    attempt = os.environ["OV_ATTEMPT"]
    urllib.request.urlopen(url + "/begun_py?attempt=" + attempt).read()
    if attempt == "1":
        time.sleep(60)
    return "python3 " + attempt
`,
  });
}

/** The event that a function receives from the queue for one job. */
export const queueEvent = (id: string) => ({
  Records: [
    {
      messageId: randomUUID(),
      receiptHandle: "r",
      body: JSON.stringify({ job: id }),
      attributes: {},
      messageAttributes: {},
      md5OfBody: "",
      eventSource: "aws:sqs",
      eventSourceARN: "arn:aws:sqs:us-east-1:000000000000:q",
      awsRegion: "us-east-1",
    },
  ],
});
