// axe finds nothing on the screens of users, in light and dark, wide and narrow.
import type { Page } from "playwright-core";
import { beforeAll, test } from "vitest";
import { field } from "./screens";
import {
  casesOf,
  clientOf,
  create,
  dark,
  expectAccessibleIn,
  light,
  narrow,
  pagesOfOneBrowser,
} from "./support";
import { userWords } from "./userWords";

const open = pagesOfOneBrowser();
const u = userWords.es;
const someone = {
  email: "ana@example.com",
  phoneNumber: "+34 600 123 456",
  password: "Secreta-2026",
};

beforeAll(async () => {
  const client = await clientOf();
  const add = (username: string, fullName: string, roleCode: string, status = "ACTIVE") =>
    create(client, "users", { ...someone, username, fullName, roleCode, status });
  await add("axe_app", "Ana Ruiz", "app");
  await add("axe_off", "Blas Gil", "app", "SUSPENDED");
  await add("axe_away", "Celia Paz", "app", "INACTIVE");
  await add("axe_agent", "Diego Mas", "agent");
  await add("axe_manager", "Elsa Vila", "contentManager");
  await create(client, "credits/add", { targetUsername: "axe_app", amount: 1 });
  await create(client, "credits/add-for-sale", { targetUsername: "axe_agent", amount: 20 });
});

const screens: Record<string, { path: string; prepare: (page: Page) => Promise<unknown> }> = {
  list: { path: "/users?search=axe", prepare: (page) => page.getByText("Ana Ruiz").waitFor() },
  "list, menu of a row": {
    path: "/users?search=axe",
    prepare: async (page) => {
      await page.getByRole("button", { name: u.more("Ana Ruiz") }).click();
      await page.getByRole("menuitem").first().waitFor();
    },
  },
  "new user, with errors": {
    path: "/users/create",
    prepare: async (page) => {
      await page.getByRole("button", { name: u.create, exact: true }).click();
      await page.getByText(u.required).first().waitFor();
    },
  },
  "page of a user": {
    path: "/users/axe_app",
    prepare: (page) => page.getByRole("heading", { name: "Movimientos de créditos" }).waitFor(),
  },
  "user, editing": {
    path: "/users/axe_app/edit",
    prepare: (page) => field(page, u.fields.fullName).waitFor(),
  },
  "user that is not there": {
    path: "/users/axe_nobody/edit",
    prepare: (page) => page.getByText(u.loadFailed).waitFor(),
  },
  "credits, foretold": {
    path: "/users?search=axe&openCredits=axe_app",
    prepare: async (page) => {
      await field(page.getByRole("dialog"), u.fields.amount).fill("3");
      await page.getByRole("dialog").getByText("4", { exact: true }).waitFor();
    },
  },
  "credits, refused": {
    path: "/users?search=axe&openCredits=axe_agent",
    prepare: async (page) => {
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("combobox").selectOption("DEDUCT_CREDITS_FOR_SALE");
      await field(dialog, u.fields.amount).fill("21");
      // The preview refuses it, so that it can't be sent.
      await dialog
        .getByText(/suficiente/)
        .first()
        .waitFor();
    },
  },
};

/** They are made of what the others are made of, or are looked at in a flow: customer. */
const onlyNightly = ["list", "page of a user", "user that is not there", "credits, refused"];

test.each(casesOf(screens, onlyNightly))("%s", async (name, { path, prepare }) => {
  await expectAccessibleIn([light, dark, narrow], name, async (look) => {
    const page = await open(path, look);
    await prepare(page);
    return page;
  });
});
