import { MantineProvider, Modal } from "@mantine/core";
import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { MemoryRouter } from "react-router";
import { expect, test, vi } from "vitest";
import { lazyPart } from "../../loading/lazyPart";
import { MenuButton } from "./MenuButton";
import MenuList, { type MenuListProps } from "./MenuList";

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

/** Menus whose list is downloaded when a test says so, beside a field. */
function renderEarly(...names: string[]) {
  type Module = { default: (props: MenuListProps) => ReactNode };
  let arriveWith: (module: Module) => void = () => {};
  let failWith: (failure: Error) => void = () => {};
  const download = new Promise<Module>((resolve, reject) => {
    arriveWith = resolve;
    failWith = reject;
  });
  const List = lazyPart(() => download, { isDialog: true });
  const onClose = vi.fn();
  render(
    <MantineProvider env="test">
      <MemoryRouter>
        <input aria-label="field" />
        {names.map((name) => (
          <MenuButton
            key={name}
            button={(props) => (
              <button type="button" {...props}>
                {name}
              </button>
            )}
            List={List}
            onClose={onClose}
            entries={[{ key: "do", label: "Do" }]}
          />
        ))}
      </MemoryRouter>
    </MantineProvider>,
  );
  const arrive = () => act(async () => arriveWith({ default: MenuList }));
  const fail = () => act(async () => failWith(new TypeError("network")));
  const button = (name: string) => screen.getByRole("button", { name });
  return { user: userEvent.setup(), button, arrive, fail, onClose };
}

test.each([
  ["a second press", "click"],
  ["Escape", "key"],
])("a menu that was never shown, because of %s, is not closed for who listens", async (_, by) => {
  const { user, button, arrive, onClose } = renderEarly("open");
  await user.click(button("open"));
  if (by === "key") await user.keyboard("{Escape}");
  else await user.click(button("open"));
  expect(button("open")).toHaveAttribute("aria-expanded", "false");
  await arrive();
  expect(screen.queryByRole("menu")).not.toBeInTheDocument();
  expect(onClose).not.toHaveBeenCalled();
});

test("Escape on a menu that is being downloaded leaves the dialog around it open", async () => {
  const onClose = vi.fn();
  render(
    <MantineProvider env="test">
      <MemoryRouter>
        <Modal opened onClose={onClose}>
          <MenuButton
            button={(props) => (
              <button type="button" {...props}>
                open
              </button>
            )}
            List={lazyPart(() => new Promise<{ default: typeof MenuList }>(() => {}), { isDialog: true })}
            entries={[]}
          />
        </Modal>
      </MemoryRouter>
    </MantineProvider>,
  );
  const user = userEvent.setup();
  const button = screen.getByRole("button", { name: "open" });
  await user.click(button);
  await user.keyboard("{Escape}");
  expect(button).toHaveAttribute("aria-expanded", "false");
  expect(onClose).not.toHaveBeenCalled();
  await user.keyboard("{Escape}");
  expect(onClose).toHaveBeenCalledOnce();
});

test("a menu that could not be loaded is not closed for who listens", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  const { user, button, fail, onClose } = renderEarly("open");
  await user.click(button("open"));
  await fail();
  await user.click(await screen.findByRole("button", { name: "Cerrar" }, { timeout: 10_000 }));
  expect(button("open")).toHaveAttribute("aria-expanded", "false");
  expect(onClose).not.toHaveBeenCalled();
});

test("the focus stays in a field that was focused while the menu was downloaded", async () => {
  const { user, button, arrive, onClose } = renderEarly("open");
  await user.click(button("open"));
  const field = screen.getByRole("textbox", { name: "field" });
  await user.click(field);
  await arrive();
  await waitFor(() => expect(button("open")).toHaveAttribute("aria-expanded", "false"));
  expect(screen.queryByRole("menu")).not.toBeInTheDocument();
  expect(field).toHaveFocus();
  expect(onClose).not.toHaveBeenCalled();
});

test("of two menus that were pressed while they were downloaded the last one opens", async () => {
  const { user, button, arrive } = renderEarly("first", "second");
  await user.click(button("first"));
  await user.click(button("second"));
  await arrive();
  await screen.findByRole("menu", { name: "second" });
  expect(screen.queryByRole("menu", { name: "first" })).not.toBeInTheDocument();
  expect(button("first")).toHaveAttribute("aria-expanded", "false");
});

test("the message that a menu could not be loaded stands over the page, one for all, and goes with the press", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  const { user, button, fail } = renderEarly("first", "second");
  await user.click(button("first"));
  await fail();
  const message = await screen.findByRole("alert", undefined, { timeout: 10_000 });
  expect(message.parentElement).toBe(document.body);
  await user.click(button("second"));
  await waitFor(() => expect(button("first")).toHaveAttribute("aria-expanded", "false"));
  expect(screen.getAllByRole("alert")).toHaveLength(1);
  expect(button("second")).toHaveAttribute("aria-expanded", "true");
  await user.click(button("second"));
  expect(screen.queryByRole("alert")).not.toBeInTheDocument();
});
