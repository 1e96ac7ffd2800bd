import { goPrograms } from "../conformance/go-programs.ts";
import { describeSupervision } from "../conformance/supervision.ts";

describeSupervision("go", goPrograms);
