// The panel's dialog, opened by what stands in a form.
import { MantineProvider } from "@mantine/core";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test, vi } from "vitest";
import { Dialog } from "./Dialog";
import { MenuButton } from "./dropdown/MenuButton";

test("the form of a dialog is in no other form, whose button Enter would press", async () => {
  const warned = vi.spyOn(console, "error").mockImplementation(() => {});
  render(
    <MantineProvider env="test">
      <form aria-label="page">
        <Dialog title="Enlace" onClose={() => {}} isForm>
          <form aria-label="dialog">
            <input aria-label="URL" />
          </form>
        </Dialog>
      </form>
    </MantineProvider>,
  );
  const inner = await screen.findByRole("form", { name: "dialog" });
  expect(inner.parentElement?.closest("form")).toBeNull();
  expect(inner).toContainElement(screen.getByLabelText("URL"));
  expect(warned).not.toHaveBeenCalled();
});

function WithMenu() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <MenuButton
        button={(props) => (
          <button type="button" {...props}>
            Más acciones
          </button>
        )}
        entries={[{ key: "open", label: "Abrir", onClick: () => setOpen(true) }]}
      />
      {isOpen && (
        <Dialog title="Contacto" onClose={() => setOpen(false)} isForm>
          <input aria-label="Nota" />
        </Dialog>
      )}
    </>
  );
}

test("a dialog that a menu opened gives the focus back to the button of the menu", async () => {
  // With its transitions: the entry has the focus while the dialog comes.
  render(
    <MantineProvider>
      <WithMenu />
    </MantineProvider>,
  );
  const user = userEvent.setup();
  const button = screen.getByRole("button", { name: "Más acciones" });
  await user.click(button);
  await user.keyboard("{ArrowDown}");
  // Without a layout, a menu in transition may count as scrolled out of sight.
  const entry = await screen.findByRole("menuitem", { name: "Abrir", hidden: true });
  entry.focus();
  await user.keyboard("{Enter}");
  const note = await screen.findByRole("textbox", { name: "Nota" });
  await waitFor(() => expect(note).toHaveFocus());
  await waitFor(() => expect(entry).not.toBeInTheDocument());
  await user.keyboard("{Escape}");
  await waitFor(() => expect(note).not.toBeInTheDocument());
  await waitFor(() => expect(button).toHaveFocus());
});
