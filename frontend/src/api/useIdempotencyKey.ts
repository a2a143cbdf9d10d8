// One idempotency key for each change. The same body sent again (a lost response, a double click) has the same key, and
// the server executes it once; a changed body gets a new key.
import { useRef } from "react";
import { newId } from "./newId";

export interface SentBody {
  body: string;
  key: string;
}

export function useIdempotencyKey() {
  const sent = useRef<SentBody>({ body: "", key: "" });
  return {
    keyFor(body: unknown): string {
      const text = JSON.stringify(body);
      if (sent.current.body !== text) sent.current = { body: text, key: newId() };
      return sent.current.key;
    },
    /** The last sent body, if any: stored with a draft, so that it survives a reload. */
    sent: () => (sent.current.key ? sent.current : undefined),
    restore(before: SentBody | undefined) {
      if (before) sent.current = before;
    },
    /** Called after success: sending the same body again is a new change. */
    forget() {
      sent.current = { body: "", key: "" };
    },
  };
}
