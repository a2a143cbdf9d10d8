// Search and the Enter key: only a result of the search is chosen.

import { MantineProvider } from "@mantine/core";
import { keepPreviousData, QueryClientProvider, queryOptions } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { FormEvent } from "react";
import { beforeAll, expect, test, vi } from "vitest";
import { createQueryClient } from "../api/queryClient";
import { loadFormTexts } from "../i18n";
import { SearchedSelect } from "./SearchedSelect";

beforeAll(loadFormTexts);

const users = ["eva", "luis"];

function renderField(answer: () => Promise<void> = async () => {}) {
  const onChoose = vi.fn();
  const onSubmit = vi.fn((event: FormEvent) => event.preventDefault());
  render(
    <QueryClientProvider client={createQueryClient()}>
      <MantineProvider env="test">
        <form onSubmit={onSubmit}>
          <SearchedSelect
            label="Agente"
            query={(search) =>
              queryOptions({
                queryKey: ["found", search],
                queryFn: async () => {
                  if (search) await answer();
                  return { content: users.filter((name) => name.includes(search)).map((name) => ({ name })) };
                },
                placeholderData: keepPreviousData,
              })
            }
            optionOf={({ name }) => ({ value: name, label: `Agente ${name}` })}
            known={[{ value: "", label: "Nadie" }]}
            value=""
            onChoose={onChoose}
          />
          <button type="submit">Guardar</button>
        </form>
      </MantineProvider>
    </QueryClientProvider>,
  );
  const field = screen.getByRole("combobox", { name: "Agente" });
  return { user: userEvent.setup(), field, onChoose, onSubmit };
}

const options = () => screen.queryAllByRole("option").map((option) => option.textContent);

test("known options are listed for an empty search, and found by their names", async () => {
  const { user, field } = renderField();
  await user.click(field);
  await waitFor(() => expect(options()).toEqual(["Nadie", "Agente eva", "Agente luis"]));
  await user.clear(field);
  await user.type(field, "nad");
  await waitFor(() => expect(options()).toEqual(["Nadie"]));
});

test("Enter chooses the first result, not a known option", async () => {
  const { user, field, onChoose } = renderField();
  await user.clear(field);
  await user.type(field, "eva");
  await waitFor(() => expect(options()).toEqual(["Agente eva"]));
  await user.keyboard("{Enter}");
  expect(onChoose.mock.calls).toEqual([["eva"]]);
});

test("Enter before the server has answered neither chooses anything nor submits the form", async () => {
  const answer = vi.fn(() => new Promise<void>(() => {}));
  const { user, field, onChoose, onSubmit } = renderField(answer);
  await user.clear(field);
  await user.type(field, "eva{Enter}");
  await screen.findByText("Agente luis");
  await waitFor(() => expect(answer).toHaveBeenCalled());
  await user.keyboard("{Enter}");
  expect(onChoose).not.toHaveBeenCalled();
  expect(onSubmit).not.toHaveBeenCalled();
});

test("a search without results has a message", async () => {
  const { user, field } = renderField();
  await user.clear(field);
  await user.type(field, "zzz");
  expect(await screen.findByText("Ninguna opción coincide")).toBeVisible();
});
