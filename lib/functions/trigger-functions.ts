import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { RECEIVE_TIMEOUT_S } from "../../contract/stack-names.ts";
import { addFunction, type StackParts } from "./add-function.ts";

/** The functions that receive the messages of triggers, and that connect the sources of the messages. */
export function addTriggerFunctions(parts: StackParts): Record<"receive" | "connect", LambdaFunction> {
  const { jobs, objects, storage, secrets, queue, triggers } = parts;
  const received = { description: "svc: messages of triggers", memoryMb: 1024, timeoutS: RECEIVE_TIMEOUT_S };
  const receive = addFunction(parts, "receive", received, (fn) => {
    triggers.configureReceive(fn);
    objects.configureReceive(fn);
    jobs.configureMoveJobs(fn);
    queue.configureSend(fn);
    // Arguments and files of jobs, and mails, which are removed once their jobs have started.
    storage.configureRead(fn, "mail");
    storage.configureDelete(fn, "mail");
    storage.configureWrite(fn, "jobs");
    // The keys of queues of other accounts.
    secrets.configureUnseal(fn);
  });
  const connected = { description: "svc: connects queues, topics and event buses to triggers", memoryMb: 512, timeoutS: 60 };
  const connect = addFunction(parts, "connect", connected, (fn) => {
    objects.configureConnect(fn);
    triggers.configureConnect(fn, receive);
  });
  return { receive, connect };
}
