// Text that nobody types letter by letter, as addresses: each letter renders its whole form again.
import type { UserEvent } from "@testing-library/user-event";

/** At the end of what the field has. */
export async function pasteInto(user: UserEvent, field: Element, text: string): Promise<void> {
  await user.click(field);
  await user.paste(text);
}
