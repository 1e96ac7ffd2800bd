import { describeInProcess } from "../conformance/in-process.ts";
import { javascriptInProcess, javascriptPrograms } from "../conformance/javascript-programs.ts";
import { describeSupervision } from "../conformance/supervision.ts";

describeSupervision("nodejs", javascriptPrograms);
describeInProcess("nodejs", javascriptInProcess);
