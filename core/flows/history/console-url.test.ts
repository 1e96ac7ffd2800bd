import { expect, it } from "vitest";
import { buildConsoleUrl } from "./console-url.ts";

it.each([
  [
    "arn:aws:states:eu-central-1:000000000000:execution:svc-demo-f-a-12345678:job.0",
    "https://eu-central-1.console.aws.amazon.com/states/home?region=eu-central-1#/v2/executions/details/arn:aws:states:eu-central-1:000000000000:execution:svc-demo-f-a-12345678:job.0",
  ],
  [
    "arn:aws:states:us-east-1:000000000000:stateMachine:svc-demo-f-a-12345678",
    "https://us-east-1.console.aws.amazon.com/states/home?region=us-east-1#/statemachines/view/arn:aws:states:us-east-1:000000000000:stateMachine:svc-demo-f-a-12345678",
  ],
  [
    "arn:aws-cn:states:cn-north-1:000000000000:stateMachine:m",
    "https://console.amazonaws.cn/states/home?region=cn-north-1#/statemachines/view/arn:aws-cn:states:cn-north-1:000000000000:stateMachine:m",
  ],
])("the URL of %s is in the console of its region and partition", (arn, url) => {
  expect(buildConsoleUrl(arn)).toBe(url);
});
