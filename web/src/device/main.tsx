import { render } from "../shared/render.tsx";
import { linkedCode } from "./linked-code.ts";
import { Page } from "./page.tsx";

render(<Page linkedCode={linkedCode(location)} />);
