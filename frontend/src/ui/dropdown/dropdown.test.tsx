import { MantineProvider } from "@mantine/core";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { expect, test, vi } from "vitest";
import { MenuButton } from "./MenuButton";

function renderMenu(onClick = () => {}) {
  const onClose = vi.fn();
  render(
    <MantineProvider env="test">
      <MemoryRouter>
        <MenuButton
          button={(props) => (
            <button type="button" {...props}>
              open
            </button>
          )}
          onClose={onClose}
          entries={[
            { key: "do", label: "Do", onClick },
            { key: "stay", label: "Stay", keepsOpen: true },
            { key: "go", label: "Go", to: "/there", isCurrent: true },
          ]}
        />
      </MemoryRouter>
    </MantineProvider>,
  );
  return { user: userEvent.setup(), button: screen.getByRole("button", { name: "open" }), onClose };
}

test("a button says that its menu is open before the menu is there, and is what names it", async () => {
  const { user, button } = renderMenu();
  expect(button).toHaveAttribute("aria-haspopup", "menu");
  await user.click(button);
  expect(button).toHaveAttribute("aria-expanded", "true");
  const menu = await screen.findByRole("menu", { name: "open" });
  expect(button).toHaveAttribute("aria-controls", menu.id);
  expect(screen.getByRole("menuitem", { name: "Go" })).toHaveAttribute("aria-current", "page");
});

test("Escape and a second press close it, and the button has the focus again", async () => {
  const { user, button, onClose } = renderMenu();
  for (const close of [() => user.keyboard("{Escape}"), () => user.click(button)]) {
    await user.click(button);
    const first = await screen.findByRole("menuitem", { name: "Do" });
    await waitFor(() => expect(first).toHaveFocus());
    await close();
    await waitFor(() => expect(screen.queryByRole("menu")).not.toBeInTheDocument());
    await waitFor(() => expect(button).toHaveFocus());
    expect(button).toHaveAttribute("aria-expanded", "false");
  }
  expect(onClose).toHaveBeenCalledTimes(2);
});

test("an entry is done and closes it, unless it keeps it open", async () => {
  const onClick = vi.fn();
  const { user, button, onClose } = renderMenu(onClick);
  await user.click(button);
  await user.click(await screen.findByRole("menuitem", { name: "Stay" }));
  expect(button).toHaveAttribute("aria-expanded", "true");
  await user.click(screen.getByRole("menuitem", { name: "Do" }));
  expect(onClick).toHaveBeenCalledOnce();
  expect(onClose).toHaveBeenCalledOnce();
  await waitFor(() => expect(screen.queryByRole("menu")).not.toBeInTheDocument());
});
