// Numbers of seasons and episodes that are edited where they stand, in the lists of all shows.
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { backend, problem } from "../../../testing/backend";
import { renderPage } from "../../../testing/render";
import { sampleCurrentUser } from "../../../testing/samples";
import { serveSeries } from "../../../testing/series";
import { server } from "../../../testing/server";

const patches: { path: string; version: string | null; body: Record<string, unknown> }[] = [];

beforeEach(() => {
  serveSeries();
  patches.length = 0;
});

/** Answers a change of an item of this kind as the server does. */
function servePatches(
  kind: "seasons" | "episodes",
  refuse?: (body: Record<string, unknown>) => Response | undefined,
) {
  server.use(
    http.patch(`/api/${kind}/:id`, async ({ params, request }) => {
      const body = (await request.json()) as Record<string, unknown>;
      const version = request.headers.get("if-match");
      patches.push({ path: `${kind}/${params.id}`, version, body });
      const item = backend.tables[kind]?.find(({ id }) => id === Number(params.id));
      if (!item) return problem(404, { code: "NOT_FOUND" });
      if (version !== `"${item.version}"`)
        return problem(412, { code: "VERSION_CONFLICT", message: "Otra persona lo cambió.", current: item });
      const refusal = refuse?.(body);
      if (refusal) return refusal;
      Object.assign(item, body, { version: Number(item.version) + 1 });
      return HttpResponse.json(item);
    }),
  );
}

async function openList(kind: "seasons" | "episodes") {
  // All columns are shown.
  localStorage.setItem(`cartelera.list.${kind}.hidden`, JSON.stringify([]));
  const page = renderPage(`/content/${kind}`);
  await screen.findByText(/^Mostrando/);
  const cell = (column: string, id: number) =>
    document.querySelector<HTMLElement>(`[data-cell="${id} ${column}"]`) as HTMLElement;
  return { ...page, cell };
}

test("the number of an episode is changed by keyboard with the version of its row", async () => {
  servePatches("episodes");
  const { user, cell } = await openList("episodes");
  cell("episodeNumber", 1).focus();
  await user.keyboard("e");
  const input = await within(cell("episodeNumber", 1)).findByRole("textbox");
  await waitFor(() => expect(input).toHaveFocus());
  await user.clear(input);
  await user.keyboard("9{Enter}");
  await waitFor(() =>
    expect(patches).toEqual([{ path: "episodes/1", version: '"1"', body: { episodeNumber: 9 } }]),
  );
  await waitFor(() => expect(cell("episodeNumber", 1)).toHaveTextContent("9"));
  expect(cell("episodeNumber", 1)).toHaveFocus();
});

test("the rules of the form hold, and Escape leaves the number as it was", async () => {
  servePatches("episodes");
  const { user, cell } = await openList("episodes");
  await user.dblClick(cell("episodeNumber", 1));
  const input = await within(cell("episodeNumber", 1)).findByRole("textbox");
  await user.clear(input);
  await user.keyboard("0{Enter}");
  expect(await within(cell("episodeNumber", 1)).findByRole("alert")).toBeVisible();
  await user.keyboard("{Escape}");
  await waitFor(() => expect(cell("episodeNumber", 1)).toHaveTextContent("1"));
  expect(patches).toEqual([]);
});

test("a number that is in use is refused in its cell", async () => {
  const message = "La serie ya tiene esa temporada: «Temporada 3»";
  servePatches("seasons", ({ seasonNumber }) =>
    seasonNumber === 3 ? problem(409, { code: "CONFLICT", message }) : undefined,
  );
  const { user, cell } = await openList("seasons");
  await user.dblClick(cell("seasonNumber", 1));
  const input = await within(cell("seasonNumber", 1)).findByRole("textbox");
  await user.clear(input);
  await user.keyboard("3{Enter}");
  expect(await within(cell("seasonNumber", 1)).findByText(message)).toBeVisible();
  await user.clear(input);
  await user.keyboard("8{Enter}");
  await waitFor(() => expect(cell("seasonNumber", 1)).toHaveTextContent("8"));
});

test("where another user was first, both numbers are shown", async () => {
  servePatches("seasons");
  const { user, cell } = await openList("seasons");
  await user.dblClick(cell("seasonNumber", 1));
  const input = await within(cell("seasonNumber", 1)).findByRole("textbox");
  const season = backend.tables.seasons?.find(({ id }) => id === 1);
  Object.assign(season ?? {}, { seasonNumber: 6, version: 4, updatedBy: "eva" });
  await user.clear(input);
  await user.keyboard("8{Enter}");
  const conflict = within(await within(cell("seasonNumber", 1)).findByRole("alert"));
  expect(conflict.getByText(/eva/)).toBeVisible();
  await user.click(conflict.getByRole("button", { name: /8/ }));
  await waitFor(() => expect(season).toMatchObject({ seasonNumber: 8, version: 5 }));
});

test("a reader edits no cell", async () => {
  backend.user = { ...sampleCurrentUser, permissions: ["TVSHOW_READ"] };
  await openList("seasons");
  expect(document.querySelector("[data-cell]")).toBeNull();
});
