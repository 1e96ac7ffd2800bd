import { type ComponentType, createElement, type ReactNode, useEffect, useReducer, useState } from "react";
import { Loading } from "./panel.tsx";

/** Code that is loaded once, and again after a failure. */
interface Code<P> {
  load: () => Promise<void>;
  component: () => ComponentType<P> | undefined;
}

function codeOf<P>(importer: () => Promise<{ default: ComponentType<P> }>): Code<P> {
  let component: ComponentType<P> | undefined;
  let loading: Promise<void> | undefined;
  const load = () => {
    loading ??= importer().then(
      (module) => {
        component = module.default;
      },
      (error: unknown) => {
        loading = undefined;
        throw error;
      },
    );
    return loading;
  };
  return { load, component: () => component };
}

/**
 * Returns a component whose code is loaded when it is first shown. `lazy` of React needs `Suspense`, which shows code that has arrived up to 300 ms
 * later, because it changes at most once in this time. `preload` loads the code before it is shown.
 */
export function loadOnDemand<P extends object>(importer: () => Promise<{ default: ComponentType<P> }>, loading: ReactNode = <Loading />) {
  const code = codeOf(importer);
  const part = (props: P): ReactNode => <Part code={code as Code<object>} loading={loading} props={props} />;
  // The component shows a failure.
  return Object.assign(part, { preload: () => void code.load().catch(() => undefined) });
}

function Part({ code, loading, props }: { code: Code<object>; loading: ReactNode; props: object }) {
  const [, showLoaded] = useReducer((count: number) => count + 1, 0);
  const [failure, setFailure] = useState<{ error: unknown }>();
  const component = code.component();
  useEffect(() => {
    if (!component) code.load().then(showLoaded, (error: unknown) => setFailure({ error }));
  }, [code, component]);
  if (failure) throw failure.error;
  return component ? createElement(component, props) : loading;
}
