import { useEffect, useState } from "react";
import { leftText } from "./time.ts";
import { When } from "./when.tsx";

const TICK_MS = 10_000;

/** Shows the deadline and the remaining time. Changes of the remaining time are not announced to screen readers. */
export function Deadline({ at }: { at: string }) {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const leftMs = Date.parse(at) - nowMs;
  return (
    <>
      <When at={at} /> <span role="timer">({leftMs > 0 ? `${leftText(leftMs)} left` : "over"})</span>
    </>
  );
}
