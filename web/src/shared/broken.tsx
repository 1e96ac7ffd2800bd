import { Component, type ReactNode } from "react";
import { Failed } from "./notes.tsx";
import { Refused } from "./service.ts";

const FAILED = new Refused(0, "page.failed", "A part of this page could not be loaded or displayed. No decision was sent.");

/** A new release removes the files of the previous one. Reloading the page loads the new files. */
export class Broken extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    return this.state.failed ? <Failed refused={FAILED} onRetry={() => location.reload()} /> : this.props.children;
  }
}
