export const homeText = {
  title: "Home",
  running: "Running",
  waiting: "Waiting for me",
  failed: "Failed in the last day",
  nothingRunning: "Nothing is running.",
  allWaiting: "Show all requests",
  nothingWaiting: "Nothing waits for your decision.",
  nothingFailed: "No run has failed in the last day.",
} as const;
