import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { signOut } from "../../shared/service.ts";
import { forgetPerson } from "../data/browser-storage.ts";

/** Returns the function that ends the session, removes what the browser stores for the person, and opens the sign-in page. */
export function useSignOut(): () => Promise<void> {
  const navigate = useNavigate();
  const queries = useQueryClient();
  return async () => {
    await signOut();
    forgetPerson();
    queries.clear();
    await navigate({ to: "/login" });
  };
}
