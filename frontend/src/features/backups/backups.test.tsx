// Backups: the log, a request, and the warning where the last good one is too old.
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { backend, problem } from "../../testing/backend";
import { backups, sampleBackup, sampleOverview } from "../../testing/backups";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";

const signInAs = (roleCode: string) => {
  backend.user = { username: "ana", roleCode, roleName: "Mi rol", permissions: ["MOVIE_READ"] };
};

beforeEach(() => {
  signInAs("admin");
  backups.overview = {
    ...sampleOverview,
    backups: [
      sampleBackup(2),
      sampleBackup(1, { state: "FAILED", fileName: null, size: null, detail: "database or disk is full" }),
    ],
  };
});

const rows = async () =>
  within(await screen.findByRole("table", { name: "Copias de seguridad" }))
    .getAllByRole("row")
    .slice(1)
    .map((row) =>
      within(row)
        .getAllByRole("cell")
        .slice(1)
        .map((cell) => cell.textContent),
    );

test("the log has origin, result, duration, size and file or reason of each backup", async () => {
  renderPage("/settings/backups");
  expect(await rows()).toEqual([
    ["Programada", "Correcta", "3,2 s", "1.235 kB", "cartelera-2.db"],
    ["Programada", "Fallida", "3,2 s", "—", "database or disk is full"],
  ]);
  expect(screen.getByText(/Cada 24 h .* las últimas 7/)).toBeVisible();
  expect(screen.queryByRole("alert")).toBeNull();
});

test("a backup is requested once, and the button waits until it has finished", async () => {
  const { user } = renderPage("/settings/backups");
  const button = await screen.findByRole("button", { name: "Hacer una copia ahora" });
  await user.click(button);
  await waitFor(async () => expect((await rows())[0]).toEqual(["Manual (ana)", "En espera", "—", "—", "—"]));
  expect(button).toBeDisabled();
  expect(backend.requests.filter((request) => request === "POST /api/backups")).toHaveLength(1);
});

test("the bell is read again when a backup has ended", async () => {
  const { user } = renderPage("/settings/backups");
  const reads = () => backend.requests.filter((request) => request === "GET /api/notices").length;
  await user.click(await screen.findByRole("button", { name: "Hacer una copia ahora" }));
  await waitFor(async () => expect((await rows())[0]?.[1]).toBe("En espera"));
  await waitFor(() => expect(reads()).toBe(1));
  backups.overview = { ...sampleOverview, backups: [sampleBackup(99)] };
  await waitFor(() => expect(reads()).toBe(2), { timeout: 5000 });
});

test("a refusal is shown in the server's words", async () => {
  server.use(
    http.post("/api/backups", () =>
      problem(409, { code: "CONFLICT", message: "Otra copia de seguridad todavía no ha terminado." }),
    ),
  );
  const { user } = renderPage("/settings/backups");
  await user.click(await screen.findByRole("button", { name: "Hacer una copia ahora" }));
  expect(await screen.findByText("Otra copia de seguridad todavía no ha terminado.")).toBeVisible();
});

test("an old backup is a warning on the page and on the dashboard of admins", async () => {
  backups.overview = { ...sampleOverview, overdue: true, lastGoodDate: null };
  renderPage("/settings/backups");
  expect(await screen.findByText("La última copia correcta es demasiado antigua")).toBeVisible();
  expect(screen.getByText(/Última copia correcta: ninguna\. Revisa/)).toBeVisible();
});

test("the dashboard of admins leads to the backups where the last good one is too old", async () => {
  backups.overview = { ...sampleOverview, overdue: true };
  renderPage("/");
  expect(await screen.findByRole("link", { name: "Ver las copias de seguridad" })).toHaveAttribute(
    "href",
    "/settings/backups",
  );
});

test("without a folder there is no button, and the page says what is missing", async () => {
  backups.overview = { ...sampleOverview, enabled: false, everyHours: null, keep: null, lastGoodDate: null };
  renderPage("/settings/backups");
  expect(await screen.findByText(/CARTELERA_BACKUP_DIR/)).toBeVisible();
  expect(screen.queryByRole("button", { name: "Hacer una copia ahora" })).toBeNull();
});

test("a failure to load can be retried", async () => {
  let isAway = true;
  server.use(
    http.get("/api/backups", () =>
      isAway
        ? problem(403, { code: "FORBIDDEN", message: "No puedes." })
        : HttpResponse.json(backups.overview),
    ),
  );
  const { user } = renderPage("/settings/backups");
  expect(await screen.findByText("No puedes.")).toBeVisible();
  isAway = false;
  await user.click(screen.getByRole("button", { name: "Reintentar" }));
  expect(await rows()).toHaveLength(2);
});

test.each(["contentManager", "agent"])("a %s does not see the page", async (role) => {
  signInAs(role);
  const { address } = renderPage("/settings/backups");
  await waitFor(() => expect(address()).toBe("/"));
});
