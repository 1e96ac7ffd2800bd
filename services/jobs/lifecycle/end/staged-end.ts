import type { Child, HeadChange, HeadCondition } from "../../../../aws/dynamodb/job-items.ts";
import type { EndState } from "../../../../core/jobs/job.ts";
import type { ValueLocation } from "../../../../core/jobs/value-ref.ts";

/** The end of a job whose values are stored, and whose record does not show it yet. */
export interface StagedEnd {
  state: EndState;
  result: ValueLocation;
  /** Other fields of the record. */
  fields: HeadChange;
  /** Items that become visible together with the end. */
  children?: readonly Child[];
  /** A further condition of the write: the record must always be as it was read. */
  condition?: HeadCondition;
  /** Equal runs may use the result from now on. */
  isReusable?: boolean;
  /** The JSON text of the result, if the caller needs it. */
  resultJson?: string;
}
