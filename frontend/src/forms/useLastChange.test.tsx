// Who changed what has no author of its own, by its newest entries in the audit log.
import { QueryClientProvider } from "@tanstack/react-query";
import { render, waitFor } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { expect, test } from "vitest";
import { SessionProvider, useSession } from "../access/session";
import { createQueryClient } from "../api/queryClient";
import { backend } from "../testing/backend";
import { sampleCurrentUser } from "../testing/samples";
import { server } from "../testing/server";
import { useLastChange } from "./useLastChange";

const at = "2026-11-20T10:00:00Z";
const entries = [
  { version: null, actor: "nota", occurredAt: at },
  { version: 3, actor: "bea", occurredAt: at },
  { version: 2, actor: "eva", occurredAt: at },
];

function Shown({ resource, item }: { resource: string; item: object }) {
  const { updatedBy, updatedDate } = useLastChange(resource, item);
  return <p>{`${updatedBy} ${updatedDate}`}</p>;
}

function SignedIn(props: { resource: string; item: object }) {
  return useSession().state.status === "in" ? <Shown {...props} /> : null;
}

function show(resource: string, item: object, roleCode: typeof sampleCurrentUser.roleCode = "admin") {
  backend.user = { ...sampleCurrentUser, roleCode, permissions: [] };
  const requests: string[] = [];
  const answer = ({ request }: { request: Request }) => {
    const { pathname, searchParams } = new URL(request.url);
    requests.push(`${pathname} ${searchParams.get("resource")} ${searchParams.get("item")}`);
    return HttpResponse.json({ content: entries, page: 0, size: 10, totalPages: 1, totalElements: 3 });
  };
  server.use(http.get("/api/audit", answer), http.get("/api/users/:name/history", answer));
  const { container } = render(
    <QueryClientProvider client={createQueryClient()}>
      <SessionProvider>
        <SignedIn resource={resource} item={item} />
      </SessionProvider>
    </QueryClientProvider>,
  );
  return { requests, shows: (text: string) => waitFor(() => expect(container).toHaveTextContent(text)) };
}

test("of a webhook it is who made the version that is stored", async () => {
  const { requests, shows } = show("webhooks", { id: 7, version: 2 });
  await shows(`eva ${at}`);
  expect(requests).toEqual(["/api/audit webhooks 7"]);
});

test("a user's history says it to those who see the user", async () => {
  const { requests, shows } = show("users", { username: "ana", version: 3, updatedDate: at }, "agent");
  await shows(`bea ${at}`);
  expect(requests).toEqual(["/api/users/ana/history null null"]);
});

test("nothing is read where the item says it, or the reader may not read the log", async () => {
  const content = show("movies", { id: 7, version: 2, updatedBy: "luz", updatedDate: at });
  await content.shows(`luz ${at}`);
  expect(content.requests).toEqual([]);
});

test("users who may not read the log see no name", async () => {
  const { requests, shows } = show("alert-messages", { id: 7, version: 2 }, "contentManager");
  await shows("undefined undefined");
  expect(requests).toEqual([]);
});
