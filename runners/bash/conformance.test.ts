import { bashPrograms } from "../conformance/bash-programs.ts";
import { describeSupervision } from "../conformance/supervision.ts";

describeSupervision("bash", bashPrograms);
