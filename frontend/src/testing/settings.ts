// The settings of the mock server. Background images and alert messages are tables like any other.
import { HttpResponse, http } from "msw";
import type { ItemOf } from "../api/resources";
import type { StoredAppSettings } from "../features/settings/queries";
import { backend, problem } from "./backend";

export const sampleSettings: StoredAppSettings = {
  itemsPerPage: 50,
  monthlyCreditsPrice: 0,
  annualCreditsPrice: 0,
  allowedPeriods: { months: true, years: false },
  maxTransactionsPerAgent: 12,
  version: 1,
  updatedDate: "2026-11-20T10:00:00Z",
};

const dates = { createdDate: "2026-11-20T10:00:00Z", updatedDate: "2026-11-20T10:00:00Z" };

export const sampleImage: ItemOf<"background-images"> = {
  id: 1,
  version: 1,
  type: "proximamente",
  title: "Dune",
  year: 2024,
  genre: "Ciencia ficción",
  duration: 166,
  classification: "PG_13",
  isKidsMode: false,
  imageUrl: "https://images.example.com/dune.jpg",
  ...dates,
};

export const sampleMessage: ItemOf<"alert-messages"> = {
  id: 1,
  version: 3,
  message: "Esta noche habrá cortes por mantenimiento.",
  ...dates,
};

/** What the mock server has; a test sets it anew. */
export const kept = { settings: sampleSettings };

export function setSettings(): void {
  kept.settings = sampleSettings;
  backend.tables["background-images"] = [{ ...sampleImage }];
  backend.tables["alert-messages"] = [{ ...sampleMessage }];
}

export const settingsHandlers = [
  http.get("/api/app-settings", () => HttpResponse.json(kept.settings)),
  http.put("/api/app-settings", async ({ request }) => {
    if (request.headers.get("if-match") !== `"${kept.settings.version}"`)
      return problem(412, { code: "VERSION_CONFLICT", message: "Otra persona.", current: kept.settings });
    const body = (await request.json()) as StoredAppSettings;
    kept.settings = { ...kept.settings, ...body, version: kept.settings.version + 1 };
    return HttpResponse.json(kept.settings);
  }),
];
