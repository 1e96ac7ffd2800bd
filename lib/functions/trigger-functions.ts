import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { RECEIVE_TIMEOUT_S } from "../../contract/deployment/stack-names.ts";
import { addFunction, type StackParts } from "./add-function.ts";

/** The functions that receive the messages of triggers, and that connect the sources of the messages. */
export function addTriggerFunctions(parts: StackParts): Record<"receive" | "connect", LambdaFunction> {
  const { jobs, objects, storage, secrets, queue, triggers } = parts;
  const settings = { description: "svc: messages of triggers", memoryMb: 1024, timeoutS: RECEIVE_TIMEOUT_S };
  const receive = addFunction(parts, "receive", settings, (fn) => {
    triggers.allowReceive(fn);
    objects.allowReceive(fn);
    jobs.allowMoveJobs(fn);
    queue.allowSend(fn);
    // Arguments and files of jobs, and mails, which are removed once their jobs have started.
    storage.allowRead(fn, "mail");
    storage.allowDelete(fn, "mail");
    storage.allowWrite(fn, "jobs");
    // The keys of queues of other accounts.
    secrets.allowUnseal(fn);
  });
  const connected = { description: "svc: connects queues, topics and event buses to triggers", memoryMb: 512, timeoutS: 60 };
  const connect = addFunction(parts, "connect", connected, (fn) => {
    objects.allowConnect(fn);
    triggers.allowConnect(fn, receive);
  });
  return { receive, connect };
}
