// A page that failed, inside the shell that is still there.
import { useQueryClient } from "@tanstack/react-query";
import { ErrorScreen } from "../ErrorScreen";

export default function PageFailure() {
  const client = useQueryClient();
  // What was fetched may be what the page could not bear.
  return <ErrorScreen isPage beforeRetry={() => client.clear()} />;
}
