// The panel's dialog, opened by what stands in a form.
import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { Dialog } from "./Dialog";

test("the form of a dialog is in no other form, whose button Enter would press", async () => {
  const warned = vi.spyOn(console, "error").mockImplementation(() => {});
  render(
    <MantineProvider env="test">
      <form aria-label="page">
        <Dialog title="Enlace" onClose={() => {}} isForm>
          <form aria-label="dialog">
            <input aria-label="URL" />
          </form>
        </Dialog>
      </form>
    </MantineProvider>,
  );
  const inner = await screen.findByRole("form", { name: "dialog" });
  expect(inner.parentElement?.closest("form")).toBeNull();
  expect(inner).toContainElement(screen.getByLabelText("URL"));
  expect(warned).not.toHaveBeenCalled();
});
