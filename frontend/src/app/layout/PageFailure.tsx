// The error screen of a page, inside the shell.
import { useQueryClient } from "@tanstack/react-query";
import { ErrorScreen } from "../ErrorScreen";

export default function PageFailure() {
  const client = useQueryClient();
  // The cached data may be the cause of the failure.
  return <ErrorScreen isPage beforeRetry={() => client.clear()} />;
}
