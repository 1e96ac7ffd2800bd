import { basePath } from "../shared/base-path.ts";
import { render } from "../shared/render.tsx";
import { addressOf } from "./data/address.ts";
import { Page } from "./page.tsx";

render(<Page address={addressOf({ pathname: location.pathname.slice(basePath.length), search: location.search })} />);
