import { render, screen } from "@testing-library/react";
import { createMemoryRouter, RouterProvider } from "react-router";
import { describe, expect, test } from "vitest";
import type { Requirement } from "../access/permissions";
import { SessionProvider } from "../access/session";
import { backend } from "../testing/backend";
import { Guard } from "./Guard";

function open(need: Requirement, fallback?: React.ReactNode) {
  const router = createMemoryRouter(
    [
      { path: "/", element: <p>inicio</p> },
      { path: "/login", element: <p>entrada</p> },
      {
        path: "/guarded",
        element: (
          <Guard {...need} fallback={fallback}>
            {<p>dentro</p>}
          </Guard>
        ),
      },
    ],
    { initialEntries: ["/guarded?x=1"] },
  );
  render(
    <SessionProvider>
      <RouterProvider router={router} />
    </SessionProvider>,
  );
  return router;
}

function be(roleCode: string, permissions: string[] = []) {
  backend.user = { username: "ana", roleCode, roleName: roleCode, permissions };
}

describe("the six forms", () => {
  test.each<[string, Requirement, string, string[], boolean]>([
    ["one permission, held", { permission: "MOVIE_READ" }, "contentManager", ["MOVIE_READ"], true],
    ["one permission, missing", { permission: "MOVIE_READ" }, "contentManager", ["SPORT_READ"], false],
    ["any, one held", { anyOf: ["MOVIE_READ", "SPORT_READ"] }, "agent", ["SPORT_READ"], true],
    ["any, none held", { anyOf: ["MOVIE_READ", "SPORT_READ"] }, "agent", [], false],
    ["all, all held", { allOf: ["MOVIE_READ", "SPORT_READ"] }, "agent", ["SPORT_READ", "MOVIE_READ"], true],
    ["all, one missing", { allOf: ["MOVIE_READ", "SPORT_READ"] }, "agent", ["SPORT_READ"], false],
    ["a role, held", { role: "agent" }, "agent", [], true],
    ["a role, another", { role: "agent" }, "app", [], false],
    ["any role, held", { anyRole: ["agent", "admin"] }, "agent", [], true],
    ["any role, another", { anyRole: ["agent", "admin"] }, "app", [], false],
    ["admins only, a superadmin", { adminOnly: true }, "superadmin", [], true],
    ["admins only, an admin", { adminOnly: true }, "admin", [], true],
    ["admins only, an agent", { adminOnly: true }, "agent", [], false],
    ["admins pass every permission", { allOf: ["MOVIE_DELETE", "USER_DELETE"] }, "admin", [], true],
    ["admins are not every role", { role: "agent" }, "admin", [], false],
  ])("%s", async (_name, need, role, permissions, isIn) => {
    be(role, permissions);
    const router = open(need);
    expect(await screen.findByText(isIn ? "dentro" : "inicio")).toBeVisible();
    expect(router.state.location.pathname).toBe(isIn ? "/guarded" : "/");
  });
});

test("an alternative view replaces the redirect to the home page", async () => {
  be("agent");
  const router = open({ permission: "MOVIE_READ" }, <p>otra cosa</p>);
  expect(await screen.findByText("otra cosa")).toBeVisible();
  expect(router.state.location.pathname).toBe("/guarded");
});

test("without a session the address redirects to the sign-in, which returns to it", async () => {
  backend.user = null;
  const router = open({ permission: "MOVIE_READ" });
  expect(screen.getByRole("status", { name: "Cargando…" })).toBeVisible();
  expect(await screen.findByText("entrada")).toBeVisible();
  expect(router.state.location.state).toEqual({ from: "/guarded?x=1" });
});
