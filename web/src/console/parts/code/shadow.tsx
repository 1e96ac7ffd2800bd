import { useEffect, useRef } from "react";

interface ShadowProps {
  className: string;
  /** Fills the root, and returns the function that ends its content. A new function fills it again. */
  fill: (root: ShadowRoot, parent: HTMLElement) => () => void;
}

/** A part of the page with its own style sheets. CodeMirror adopts them as objects, which needs no exception from the page's policy. */
export function Shadow({ className, fill }: ShadowProps) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const parent = document.createElement("div");
    root.append(parent);
    const end = fill(root, parent);
    return () => {
      end();
      parent.remove();
    };
  }, [fill]);
  return <div ref={host} className={className} />;
}
