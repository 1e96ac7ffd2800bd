import type { QueueMessage as DeliveryMessage, Lane } from "../core/deliveries/message.ts";
import type { JobMessage, Sendable } from "../core/jobs/record/lifecycle.ts";
import type { QueueMessage } from "../core/triggers/events.ts";

/** The queues of jobs, which function `execute` consumes. Messages can arrive late, twice or in another order, so the job's record decides. */
export interface Queue {
  /** Sends the message of a job, which arrives after `delayS` (at most 900 s). */
  sendMessage(job: Sendable, delayS?: number): Promise<void>;
  /** Queues the follow-ups of an ended job, or the next parts of the bulk action of a person (`bulk`). */
  sendFollowUp(job: Pick<Sendable, "id" | "workspace"> & { bulk?: string }): Promise<void>;
  /** Sends a received message once more, after a delay of at least one second. Throws `service.busy`. */
  postponeMessage(message: JobMessage, delayS: number): Promise<void>;
  /** Sends the messages of several jobs, ten in one call. Does not throw: it returns the jobs whose messages were not sent, with the reasons. */
  sendMessages(messages: readonly { job: Sendable; delayS: number }[]): Promise<{ id: string; error: Error }[]>;
}

export interface QueuedDelivery {
  message: DeliveryMessage;
  lane: Lane;
  /** At most 900 s. */
  delayS?: number;
}

/** The queues of deliveries, which function `deliver` consumes. Messages can arrive twice, so the record of the delivery decides. */
export interface DeliveryQueue {
  /** Sends messages, ten in one call. Does not throw: it returns those that were not sent, with the reasons. */
  sendDeliveries(all: readonly QueuedDelivery[]): Promise<{ queued: QueuedDelivery; error: Error }[]>;
}

/** The facts about a queue of the deployment's account that a trigger depends on. */
export interface QueueFacts {
  arn: string;
  tags: Readonly<Record<string, string>>;
  visibilityTimeoutS: number;
}

/** The keys for a queue of another account or region. */
export interface QueueKeys {
  region: string | undefined;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
}

/** A queue that is read with its own keys. */
export interface RemoteQueue {
  receiveMessages(waitS: number): Promise<QueueMessage[]>;
  /** Deletes a received message. A repeated call changes nothing. */
  deleteMessage(receiptHandle: string): Promise<void>;
  close(): void;
}

/** The users' SQS queues whose messages start runs. */
export interface SourceQueues {
  /** Returns the facts about a queue, or `undefined` if there is none. */
  describeQueue(url: string): Promise<QueueFacts | undefined>;
  /** Returns the tags of a queue, or `undefined` if there is none. */
  listTags(url: string): Promise<Readonly<Record<string, string>> | undefined>;
  /** Sends a message that failed too often to the dead-letter queue of triggers. `origin` becomes its attributes, if they fit. */
  sendDeadLetter(body: string, origin: Readonly<Record<string, string>>): Promise<void>;
  /** Opens a queue with its own keys. The region decides the endpoint, so the URL of the queue reaches no other host than SQS. */
  openQueue(url: string, keys: QueueKeys): RemoteQueue;
}
