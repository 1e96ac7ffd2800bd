import { render } from "../shared/render.tsx";
import { addressOf } from "./data/address.ts";
import { Page } from "./page.tsx";

render(<Page address={addressOf(location)} />);
