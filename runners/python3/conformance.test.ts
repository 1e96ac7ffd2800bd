import { describeInProcess } from "../conformance/in-process.ts";
import { pythonInProcess, pythonPrograms } from "../conformance/python-programs.ts";
import { describeSupervision } from "../conformance/supervision.ts";

describeSupervision("python3", pythonPrograms);
describeInProcess("python3", pythonInProcess);
