// The links of a film are probed on request in its form, and show the result.
import { screen, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { expect, test } from "vitest";
import { problem } from "../../testing/backend";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";

const link = {
  id: 4,
  owner: "movies",
  itemId: 2,
  position: 0,
  label: "FHD",
  title: "Dune",
  host: "cdn.example.com",
  active: true,
  state: "UNKNOWN",
  since: "2026-11-20T14:04:00Z",
  nextProbe: "2026-11-20T14:04:00Z",
  delayed: false,
  probedAt: null,
  probe: null,
};
const probed = {
  ...link,
  state: "UP",
  nextProbe: null,
  probedAt: "2026-11-20T14:05:00Z",
  probe: {
    outcome: "OK",
    httpStatus: null,
    milliseconds: 80,
    format: "HLS",
    height: 1080,
    codecs: null,
    bitrate: null,
    variants: null,
  },
};

test("what was requested is probed within seconds, and its finding is shown", async () => {
  let found: object[] = [];
  server.use(
    http.get("/api/movies/2/probes", () => HttpResponse.json(found)),
    http.post("/api/movies/2/probes", () => {
      found = [probed];
      return HttpResponse.json([link], { status: 202 });
    }),
  );
  const { user } = renderPage("/content/movies/2/edit");
  const section = within(await screen.findByRole("region", { name: "Comprobación de los enlaces" }));
  expect(section.queryByRole("listitem")).not.toBeInTheDocument();
  await user.click(section.getByRole("button", { name: "Comprobar enlaces" }));
  expect(await section.findByText("Se comprueba en unos segundos")).toBeVisible();
  expect(await section.findByText("HLS · 1080p", {}, { timeout: 4_000 })).toBeVisible();
  expect(section.getByRole("listitem")).toHaveTextContent(/^FHD · cdn\.example\.comSe reproduce/);
});

test("a link whose host accepts no probe for now says until when, beside what was found last", async () => {
  const waiting = { ...probed, nextProbe: "2026-11-20T15:05:00Z", delayed: true };
  const answer = [waiting, { ...link, id: 5, label: "HD", nextProbe: "2026-11-21T05:00:00Z", delayed: true }];
  server.use(http.post("/api/movies/2/probes", () => HttpResponse.json(answer, { status: 202 })));
  const { user } = renderPage("/content/movies/2/edit");
  await user.click(await screen.findByRole("button", { name: "Comprobar enlaces" }));
  const [known, unknown] = await screen.findAllByText(/^Se comprueba el 2[01] de noviembre de 2026/);
  expect(known?.closest("li")).toHaveTextContent(/HLS · 1080p.*Se comprueba el 20 de noviembre de 2026/);
  expect(unknown?.closest("li")).not.toHaveTextContent("—");
  expect(screen.queryByText("Se comprueba en unos segundos")).not.toBeInTheDocument();
});

test("whether a probe is due is decided by the server, not by the browser's clock", async () => {
  const due = { ...link, nextProbe: new Date(Date.now() + 40_000).toISOString() };
  server.use(http.post("/api/movies/2/probes", () => HttpResponse.json([due], { status: 202 })));
  const { user } = renderPage("/content/movies/2/edit");
  await user.click(await screen.findByRole("button", { name: "Comprobar enlaces" }));
  expect(await screen.findByText("Se comprueba en unos segundos")).toBeVisible();
});

test("where links are not probed the form says so once it is known, and has no button", async () => {
  const off = "Los enlaces no se comprueban (CARTELERA_PROBE_HOURS es 0).";
  server.use(http.post("/api/movies/2/probes", () => problem(409, { code: "CONFLICT", message: off })));
  const { user } = renderPage("/content/movies/2/edit");
  const section = within(await screen.findByRole("region", { name: "Comprobación de los enlaces" }));
  await user.click(section.getByRole("button", { name: "Comprobar enlaces" }));
  expect(await section.findByText(off)).toBeVisible();
  expect(section.queryByRole("button", { name: "Comprobar enlaces" })).not.toBeInTheDocument();
});

test("a refusal is shown", async () => {
  server.use(
    http.post("/api/movies/2/probes", () => problem(404, { code: "NOT_FOUND", message: "No existe" })),
  );
  const { user } = renderPage("/content/movies/2/edit");
  await user.click(await screen.findByRole("button", { name: "Comprobar enlaces" }));
  expect(await screen.findByText("No se pudieron comprobar los enlaces")).toBeVisible();
  expect(screen.getByRole("button", { name: "Comprobar enlaces" })).toBeVisible();
});
