import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { Refused } from "../../shared/service.ts";
import { session } from "./session.ts";

function noteEndedSession(error: Error): void {
  if (error instanceof Refused && error.status === 401) session.end();
}

/** A failed fetch is shown at once, with a button to retry. Being offline counts as a failure, not as a pause. */
export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: noteEndedSession }),
  mutationCache: new MutationCache({ onError: noteEndedSession }),
  defaultOptions: {
    queries: { retry: false, networkMode: "always", refetchOnWindowFocus: false, staleTime: 5_000 },
    mutations: { retry: false, networkMode: "always" },
  },
});
