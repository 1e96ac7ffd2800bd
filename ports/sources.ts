/** The location of the deployment. */
export interface DeploymentPlace {
  account: string;
  region: string;
  /** The beginning of the ARNs of queues in its account and region. */
  queueArnPrefix: string;
  /** A local engine, whose queues have other URLs. */
  isLocal: boolean;
}
/** The mapping from a queue to function `receive`. */
export interface Mapping {
  id: string;
  isDeleting: boolean;
  /** The number of invocations that the messages of the queue may occupy at the same time. Absent: no limit. */
  maximumConcurrency: number | undefined;
}

/** The mappings from queues to function `receive`. */
export interface EventSourceMappings {
  /** Returns the mapping of a queue, or `undefined` if there is none. */
  findMapping(queueArn: string): Promise<Mapping | undefined>;
  /** Creates the mapping of a queue, unless another call has just created it. */
  createMapping(queueArn: string, maximumConcurrency: number): Promise<void>;
  /** Changes the concurrency of a mapping, unless it is gone or an earlier change has not taken effect yet. */
  updateMapping(id: string, maximumConcurrency: number): Promise<void>;
  /** Deletes a mapping, unless it is gone. */
  deleteMapping(id: string): Promise<void>;
}

/** The rules that send events to the queue of triggers. */
export interface EventRules {
  /** Returns why EventBridge refuses an event pattern, or `undefined` if it accepts it. */
  findPatternFault(pattern: string): Promise<string | undefined>;
  /** Creates or replaces a rule whose events arrive as `input` describes. Idempotent. */
  putRule(rule: { name: string; bus: string; pattern: string; input: string; tags: Record<string, string> }): Promise<void>;
  /** Deletes a rule with its target, unless it is gone. */
  deleteRule(name: string, bus: string): Promise<void>;
}

/** The subscriptions of the queue of triggers to topics. */
export interface Subscriptions {
  /** Subscribes the queue of triggers to a topic. A topic to which it is subscribed already is not changed. */
  subscribe(topicArn: string): Promise<void>;
  /** Removes the subscription of the queue of triggers, unless it or the topic is gone. */
  unsubscribe(topicArn: string): Promise<void>;
}
