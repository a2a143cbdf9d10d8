// One item after the other: save and create another, and a duplicate of what is there.
import { act, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { backend } from "../../testing/backend";
import { renderPage } from "../../testing/render";

const spanish = () => screen.findByLabelText(/^Descripción(?! en)/);

test("saving and creating another stores the first and leaves an empty form with the focus", async () => {
  const { user, address } = renderPage("/content/categories/create");
  await user.type(await spanish(), "Terror");
  await user.type(screen.getByLabelText(/^Descripción en inglés/), "Horror");
  await user.click(screen.getByRole("button", { name: "Guardar y crear otro" }));
  expect(await screen.findByText("Se creó «Terror»")).toBeVisible();
  expect(address()).toBe("/content/categories/create");
  await waitFor(async () => expect(await spanish()).toHaveValue(""));
  await waitFor(async () => expect(await spanish()).toHaveFocus());
  expect(backend.tables.categories?.filter((one) => one.description === "Terror")).toHaveLength(1);
});

test("a duplicate begins with everything but the natural keys, and is a new item", async () => {
  const before = backend.tables.movies?.length ?? 0;
  const dune = backend.tables.movies?.find((one) => one.id === 2) ?? {};
  Object.assign(dune, { imdbId: "tt1160419" });
  const original: Record<string, unknown> = { ...dune };
  expect(original).toMatchObject({ title: "Dune", links: [expect.anything()] });
  const { user, address } = renderPage("/content/movies/2/edit");
  await user.click(await screen.findByRole("button", { name: "Duplicar" }));
  await waitFor(() => expect(address()).toBe("/content/movies/create"));
  await screen.findByRole("heading", { name: "Crear película" });
  expect(await screen.findByDisplayValue("Dune")).toBeVisible();
  expect(screen.queryByDisplayValue(String(original.imdbId))).not.toBeInTheDocument();
  await user.click(screen.getByRole("button", { name: "Crear película" }));
  await waitFor(() => expect(backend.tables.movies).toHaveLength(before + 1));
  const copy = backend.bodies.at(-1) as Record<string, unknown>;
  const links = original.links as Record<string, unknown>[];
  expect(links[0]).toHaveProperty("createdDate");
  // Its links are new ones: they were added when the copy is, and not when those of the original were.
  expect(copy).toMatchObject({
    title: "Dune",
    links: links.map(({ id: _id, createdDate: _created, updatedDate: _updated, ...link }) => link),
  });
  for (const [index, link] of (copy.links as typeof links).entries()) {
    expect(link.id).not.toBe(links[index]?.id);
    expect(link.createdDate ?? link.updatedDate ?? null).toBeNull();
  }
  expect(copy.imdbId ?? null).toBeNull();
  expect(backend.tables.movies?.find((one) => one.id === 2)).toEqual(original);
});

test("an item created from a copy is not proposed again after a reload", async () => {
  const { user, router } = renderPage("/content/movies/2/edit");
  await user.click(await screen.findByRole("button", { name: "Duplicar" }));
  await user.click(await screen.findByRole("button", { name: "Crear película" }));
  expect(await screen.findByText(/^Se creó/)).toBeVisible();
  await waitFor(() =>
    expect(router.state.location).toMatchObject({ pathname: "/content/movies/create", state: null }),
  );
});

test("after creating from a copy, going back opens the original, without the copied values", async () => {
  const { user, router } = renderPage("/content/categories/1/edit");
  await user.click(await screen.findByRole("button", { name: "Duplicar" }));
  await screen.findByRole("heading", { name: "Crear categoría" });
  expect(await spanish()).not.toHaveValue("");
  await user.click(screen.getByRole("button", { name: "Crear categoría" }));
  await screen.findByRole("table", { name: "Categorías" });
  await act(() => router.navigate(-1));
  expect(await screen.findByRole("heading", { name: /^Editar/ })).toBeVisible();
  expect(router.state.location.pathname).toBe("/content/categories/1/edit");
});
