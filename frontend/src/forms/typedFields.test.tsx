// Dates and numbers that are typed: saved as what they say, or refused at their field. Never something else.
import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { chooseLanguage } from "../i18n";
import { backend } from "../testing/backend";
import { renderPage } from "../testing/render";

const puts = () => backend.requests.filter((request) => request.startsWith("PUT"));
const saved = () => backend.tables.movies?.find(({ id }) => id === 2);

async function openForm() {
  const page = renderPage("/content/movies/2/edit");
  await screen.findByLabelText(/Fecha de estreno|Release date/);
  const field = (label: RegExp) => screen.getByLabelText(label, { selector: "input:not([type=hidden])" });
  const type = async (label: RegExp, text: string) => {
    await page.user.clear(field(label));
    await page.user.type(field(label), text);
    await page.user.tab();
  };
  return { ...page, field, type };
}

test("a date is the typed day, with any separator", async () => {
  const { user, type, field } = await openForm();
  expect(screen.getByText(/Día\/mes\/año: 31\/12\/2026/)).toBeVisible();
  await type(/Fecha de estreno/, "5.6.99");
  expect(field(/Fecha de estreno/)).toHaveValue("05/06/1999");
  await user.keyboard("{Control>}s{/Control}");
  await waitFor(() => expect(puts()).toHaveLength(1));
  expect(saved()?.releaseDate).toBe("1999-06-05");
});

test.each(["31/13/2020", "30/02/2021", "mañana", "12/31/2020"])(
  "«%s» is refused at its field, stays to be mended, and is not saved",
  async (text) => {
    const { user, type, field } = await openForm();
    const before = saved()?.releaseDate;
    await type(/Fecha de estreno/, text);
    expect(await screen.findByText(/No es una fecha/)).toBeVisible();
    expect(field(/Fecha de estreno/)).toHaveValue(text);
    await user.keyboard("{Control>}s{/Control}");
    await waitFor(() => expect(field(/Fecha de estreno/)).toHaveFocus());
    expect(puts()).toEqual([]);
    expect(saved()?.releaseDate).toBe(before);
  },
);

test("in English the year comes first, and a date that could be read both ways is refused", async () => {
  await chooseLanguage("en");
  const { type, field } = await openForm();
  await type(/Release date/, "5/6/1999");
  expect(await screen.findByText(/This is not a date/)).toBeVisible();
  await type(/Release date/, "1999/6/5");
  expect(field(/Release date/)).toHaveValue("1999-06-05");
  expect(screen.queryByText(/This is not a date/)).not.toBeInTheDocument();
});

test.each(["1,5", "1e3", "1.200"])("«%s» minutes are refused, not changed", async (text) => {
  const { user, type, field } = await openForm();
  await type(/Duración/, text);
  expect(await screen.findByText("Escribe un número entero, solo con cifras")).toBeVisible();
  expect(field(/Duración/)).toHaveValue(text);
  await user.keyboard("{Control>}s{/Control}");
  await waitFor(() => expect(field(/Duración/)).toHaveFocus());
  expect(puts()).toEqual([]);
});

test("decimals take comma and point, and refuse what could be thousands", async () => {
  const { user, type, field } = await openForm();
  await type(/Calificación|Puntuación|Valoración/, "1.234,5");
  expect(await screen.findByText(/No está claro qué es decimal/)).toBeVisible();
  await type(/Calificación|Puntuación|Valoración/, "8,5");
  expect(field(/Calificación|Puntuación|Valoración/)).toHaveValue("8,5");
  await user.keyboard("{Control>}s{/Control}");
  await waitFor(() => expect(puts()).toHaveLength(1));
  expect(saved()?.rating).toBe(8.5);
});
