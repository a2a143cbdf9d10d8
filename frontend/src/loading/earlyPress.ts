// A button of the document's sign-in that is pressed before the program is there: the program presses it again.

declare global {
  /** What the document's script, which is a program of its own, hands to the panel: the pressed button, once. */
  var takePress: (() => HTMLButtonElement | null) | undefined;
}

/** Enables the form's button while both fields are filled, and keeps the last press, also one by the Enter key. */
export function keepPress(root: HTMLElement): void {
  const submit = root.querySelector<HTMLButtonElement>("[type=submit]");
  const fields = [...root.querySelectorAll("input")];
  let pressed: HTMLButtonElement | null = null;
  const press = (button: typeof pressed) => {
    if (pressed) pressed.ariaBusy = null;
    if (button) button.ariaBusy = "true";
    pressed = button;
  };
  root.oninput = () => {
    press(null);
    if (submit) submit.disabled = fields.some(({ value }) => !value.trim());
  };
  root.onclick = (event) => {
    const button = (event.target as Element).closest("button");
    if (!button) return;
    event.preventDefault();
    press(button);
  };
  globalThis.takePress = () => {
    const taken = pressed;
    press(null);
    root.oninput = root.onclick = null;
    return taken;
  };
}

/** Repeats the press that came before the program, and ends the listeners of the document. */
export function repeatPress(): void {
  globalThis.takePress?.()?.click();
  globalThis.takePress = undefined;
}
