import { Component, type ReactNode } from "react";
import { Refused } from "./data/api.ts";
import { Failed } from "./notes.tsx";

const FAILED = new Refused(0, "page.failed", "A part of this page could not be loaded or displayed. No decision was sent.");

/** A new release takes the files of the old one away, and a page that was open asks for one of them: loading it again helps. */
export class Broken extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    return this.state.failed ? <Failed refused={FAILED} onRetry={() => location.reload()} /> : this.props.children;
  }
}
