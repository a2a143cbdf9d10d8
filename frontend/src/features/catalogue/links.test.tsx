// The links of an item: texts and actions of a row, and several added at once.
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { localDraft } from "../../forms/localDraft";
import { backend } from "../../testing/backend";
import { losePage } from "../../testing/leaving";
import { pasteInto } from "../../testing/paste";
import { renderPage } from "../../testing/render";

const url = "https://cdn.example.com/2/1080.m3u8";
const rows = () => within(screen.getByRole("list", { name: "Enlaces" })).getAllByRole("listitem");

test("a row says quality, host and languages, and its address is copied, opened and played", async () => {
  const { user } = renderPage("/content/movies/2/edit");
  await screen.findByText(url);
  const [row] = rows();
  if (!row) throw new Error("no row");
  expect(row).toHaveTextContent(/^FHDcdn\.example\.com/);
  expect(row).toHaveTextContent("Audio: Español");
  await user.click(within(row).getByRole("button", { name: `Copiar ${url}` }));
  expect(await navigator.clipboard.readText()).toBe(url);
  expect(await screen.findByText("Dirección copiada")).toBeVisible();
  expect(within(row).getByRole("link", { name: `Abrir ${url} en otra pestaña` })).toHaveAttribute(
    "href",
    url,
  );

  await user.click(within(row).getByRole("button", { name: `Reproducir ${url}` }));
  const dialog = await screen.findByRole("dialog", { name: "Enlace de cdn.example.com" });
  const video = within(dialog).getByLabelText(url);
  expect(video).toHaveAttribute("src", url);
  fireEvent.error(video);
  expect(await within(dialog).findByText("El navegador no puede reproducir este enlace")).toBeVisible();
});

test("without a clipboard the address is selected instead", async () => {
  const { user } = renderPage("/content/movies/2/edit");
  const address = await screen.findByText(url);
  vi.spyOn(navigator.clipboard, "writeText").mockRejectedValue(new Error("not allowed"));
  await user.click(screen.getByRole("button", { name: `Copiar ${url}` }));
  expect(await screen.findByText(/pulsa Ctrl \+ C/)).toBeVisible();
  expect(getSelection()?.toString() || getSelection()?.anchorNode === address).toBeTruthy();
});

test("what no browser opens has neither a player nor a tab", async () => {
  const [, movie] = backend.tables.movies ?? [];
  const [link] = (movie?.links ?? []) as { url: string }[];
  if (link) link.url = "rtmp://live.example.com/1";
  renderPage("/content/movies/2/edit");
  await screen.findByText("rtmp://live.example.com/1");
  expect(screen.queryByRole("button", { name: /^Reproducir/ })).not.toBeInTheDocument();
  expect(screen.queryByRole("link", { name: /^Abrir rtmp/ })).not.toBeInTheDocument();
  expect(screen.getByRole("button", { name: "Copiar rtmp://live.example.com/1" })).toBeVisible();
});

test("several addresses pasted at once are shown and checked, then added together", async () => {
  const { user } = renderPage("/content/movies/2/edit");
  await user.click(await screen.findByRole("button", { name: "Añadir enlace" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Añadir enlace" }));
  await user.click(dialog.getByRole("textbox", { name: /^URL/ }));
  await user.paste(
    `https://a.example.com/dune-2160p.m3u8\r\n\n  no es una url \n${url}\nhttps://b.example.com/x.mp4\n`,
  );

  expect(await dialog.findByText(/^4 direcciones pegadas\. 2 necesitan corrección\./)).toBeVisible();
  expect(dialog.getByRole("textbox", { name: "URL 1" })).toBeValid();
  expect(dialog.getByRole("combobox", { name: "Calidad 1" })).toHaveValue("4K");
  expect(dialog.getByRole("textbox", { name: "URL 2" })).toBeInvalid();
  // The film has this one already.
  expect(dialog.getByRole("textbox", { name: "URL 3" })).toHaveAccessibleDescription(/repetida/);
  expect(dialog.getByRole("combobox", { name: "Calidad 4" })).toHaveValue("FHD");

  await user.click(dialog.getByRole("combobox", { name: /^Idiomas de audio/ }));
  await user.click(await screen.findByRole("option", { name: "Español" }));
  await user.click(dialog.getByRole("button", { name: "Añadir 4 enlaces" }));
  await waitFor(() => expect(dialog.getByRole("textbox", { name: "URL 2" })).toHaveFocus());

  await user.click(dialog.getByRole("button", { name: "Quitar la dirección 3" }));
  await user.clear(dialog.getByRole("textbox", { name: "URL 2" }));
  await pasteInto(user, dialog.getByRole("textbox", { name: "URL 2" }), "srt://c.example.com:9000");
  await user.click(dialog.getByRole("button", { name: "Añadir 3 enlaces" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  expect(rows()).toHaveLength(4);

  await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
  await waitFor(() => expect(backend.tables.movies?.[1]?.version).toBe(2));
  expect(backend.tables.movies?.[1]?.links).toMatchObject([
    { url },
    {
      url: "https://a.example.com/dune-2160p.m3u8",
      quality: "4K",
      audioLanguages: ["SPANISH"],
      active: true,
    },
    { url: "srt://c.example.com:9000", quality: "FHD", audioLanguages: ["SPANISH"] },
    { url: "https://b.example.com/x.mp4", quality: "FHD", audioLanguages: ["SPANISH"] },
  ]);
});

test("what is typed at once reaches the first field, however late the library's focus trap is", async () => {
  const { user } = renderPage("/content/movies/2/edit");
  (await screen.findByRole("button", { name: "Añadir enlace" })).focus();
  await user.keyboard("{Enter}");
  const dialog = within(await screen.findByRole("dialog", { name: "Añadir enlace" }));
  const address = dialog.getByRole("textbox", { name: /^URL/ });
  await waitFor(() => expect(address).toHaveFocus());
  // A capital and an accent: neither key ends the typing.
  await user.keyboard("{Shift>}H{/Shift}{Dead}t");
  // As the trap does it.
  dialog.getByRole("button", { name: "Cerrar" }).focus();
  await user.keyboard("tps");
  expect(address).toHaveValue("Https");
  // Another dialog keeps the focus that it takes.
  const other = document.body.appendChild(document.createElement("div"));
  other.setAttribute("role", "dialog");
  const password = other.appendChild(document.createElement("input"));
  password.focus();
  expect(password).toHaveFocus();
  other.remove();
  address.focus();
  // The focus may leave the field.
  await user.tab({ shift: true });
  expect(dialog.getByRole("button", { name: "Cerrar" })).toHaveFocus();
});

test("an address that another link has is a warning", async () => {
  const { user } = renderPage("/content/movies/2/edit");
  await user.click(await screen.findByRole("button", { name: "Añadir enlace" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Añadir enlace" }));
  await user.click(dialog.getByRole("textbox", { name: /^URL/ }));
  await user.paste(url);
  expect(await dialog.findByText("Otro enlace ya tiene esta dirección.")).toBeVisible();
});

test("going back confirms while a link is typed, also where the form has no change", async () => {
  const { user, router, address } = renderPage("/content/movies/2/edit", {
    initialEntries: ["/content/movies", "/content/movies/2/edit"],
  });
  await user.click(await screen.findByRole("button", { name: "Añadir enlace" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Añadir enlace" }));
  await pasteInto(user, dialog.getByRole("textbox", { name: /^URL/ }), "https://a.example.com/x.m3u8");
  await act(() => router.navigate(-1));
  await user.click(await screen.findByRole("button", { name: "Seguir editando" }));
  expect(address()).toBe("/content/movies/2/edit");
  expect(dialog.getByRole("textbox", { name: /^URL/ })).toHaveValue("https://a.example.com/x.m3u8");
  await act(() => router.navigate(-1));
  await user.click(await screen.findByRole("button", { name: "Salir sin guardar" }));
  await waitFor(() => expect(address()).toBe("/content/movies"));
});

describe("a link that is being typed", () => {
  const path = "/content/movies/2/edit";
  const stored = () => localDraft("ana", `${path}#link new`)?.values;

  async function openNew() {
    const page = renderPage(path);
    await page.user.click(await screen.findByRole("button", { name: "Añadir enlace" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Añadir enlace" }));
    const address = await dialog.findByRole("textbox", { name: /^URL/ });
    return { ...page, dialog, address };
  }

  test("survives a crash, and is gone once it is among the links", async () => {
    const first = await openNew();
    await first.user.type(first.address, "https://a.example.com/1");
    await waitFor(() => expect(stored()?.url).toBe("https://a.example.com/1"));
    losePage();

    const { user, dialog, address } = await openNew();
    expect(address).toHaveValue("");
    await user.click(await dialog.findByRole("button", { name: "Recuperar" }));
    expect(address).toHaveValue("https://a.example.com/1");
    await user.click(dialog.getByRole("combobox", { name: /^Idiomas de audio/ }));
    await user.click(await screen.findByRole("option", { name: "Español" }));
    await user.click(dialog.getByRole("button", { name: "Añadir" }));
    expect(rows()).toHaveLength(2);
    expect(stored()).toBeUndefined();
  });

  test("survives with all addresses that were pasted", async () => {
    const first = await openNew();
    await first.user.click(first.address);
    await first.user.paste("https://a.example.com/1\nhttps://a.example.com/2-720p");
    await waitFor(() => expect(stored()?.pasted).toHaveLength(2));
    losePage();

    const { user, dialog } = await openNew();
    await user.click(await dialog.findByRole("button", { name: "Recuperar" }));
    expect(dialog.getByRole("textbox", { name: "URL 2" })).toHaveValue("https://a.example.com/2-720p");
    expect(dialog.getByRole("combobox", { name: "Calidad 2" })).toHaveValue("HD");
  });

  test.each(["dialog", "page"])("is not proposed again once its %s was left on purpose", async (left) => {
    const { user, router, dialog, address } = await openNew();
    await user.type(address, "https://a.example.com/1");
    await waitFor(() => expect(stored()).toBeDefined());
    if (left === "dialog") await user.click(dialog.getByRole("button", { name: "Cancelar" }));
    else act(() => void router.navigate("/content/movies"));
    await user.click(await screen.findByRole("button", { name: "Salir sin guardar" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
    expect(stored()).toBeUndefined();
  });
});
