import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { signOut } from "../../shared/service.ts";

/** Returns the function that ends the session and opens the sign-in page. */
export function useSignOut(): () => Promise<void> {
  const navigate = useNavigate();
  const queries = useQueryClient();
  return async () => {
    await signOut();
    queries.clear();
    await navigate({ to: "/login" });
  };
}
