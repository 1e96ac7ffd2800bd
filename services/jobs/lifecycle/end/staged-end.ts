import type { Child, HeadChange, HeadCondition } from "../../../../aws/dynamodb/job-items.ts";
import type { EndState } from "../../../../core/jobs/record/job.ts";
import type { ValueLocation } from "../../../../core/jobs/record/value-ref.ts";

/** The end of a job whose values are stored, but whose record does not contain it yet. */
export interface StagedEnd {
  state: EndState;
  result: ValueLocation;
  /** Other fields of the record. */
  fields: HeadChange;
  /** Items that become visible together with the end. */
  children?: readonly Child[];
  /** An additional condition of the write, which always requires an unchanged record. */
  condition?: HeadCondition;
  /** Equal runs may use the result from now on. */
  isReusable?: boolean;
  /** The JSON text of the result, if the caller needs it. */
  resultJson?: string;
}
