// A button of the document's sign-in that is pressed before the program is there: the program presses it again.

declare global {
  /** What the document's script, which is a program of its own, hands to the panel: the pressed button, once. */
  var takePress: (() => HTMLButtonElement | null) | undefined;
}

/**
 * Enables the form's button while both fields are filled, and keeps the last press, also one by the Enter key. The listeners
 * are the screen's: they go with it where the program shows something else instead.
 */
export function keepPress(screen: HTMLElement): void {
  const submit = screen.querySelector<HTMLButtonElement>("[type=submit]");
  const fields = [...screen.querySelectorAll("input")];
  let pressed: HTMLButtonElement | null = null;
  const press = (button: typeof pressed) => {
    if (pressed) pressed.ariaBusy = null;
    if (button) button.ariaBusy = "true";
    pressed = button;
  };
  screen.oninput = () => {
    press(null);
    if (submit) submit.disabled = fields.some(({ value }) => !value.trim());
  };
  screen.onclick = (event) => {
    const button = (event.target as Element).closest("button");
    if (!button) return;
    event.preventDefault();
    press(button);
  };
  globalThis.takePress = () => {
    const taken = pressed;
    press(null);
    screen.oninput = screen.onclick = null;
    return taken;
  };
}

/** Repeats the press that came before the program, and ends the listeners of the document. */
export function repeatPress(): void {
  globalThis.takePress?.()?.click();
  globalThis.takePress = undefined;
}
