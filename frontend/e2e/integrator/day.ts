// The integrator's day: an external program, on a client that a public generator made from
// /api/openapi.json. integrator.test.ts generates the client beside a copy of this file, compiles both and runs them.
import assert from "node:assert/strict";
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { createClient } from "./client/client";
import {
  countViews,
  createIssueReport,
  getAppSettings,
  getMovie,
  getSubscriber,
  listMovie,
  listTvChannel,
  listUser,
  recordVisits,
} from "./client/sdk.gen";

function setting(name: string): string {
  const value = process.env[name];
  assert(value, `${name} is missing`);
  return value;
}

const key = setting("KEY");
const secret = setting("SECRET");
const client = createClient({
  baseUrl: setting("URL"),
  auth: (requested) => (requested.scheme === "bearer" ? key : undefined),
});
/** A refused call fails the test. */
const calling = { client, throwOnError: true } as const;

interface Event {
  id: string;
  type: string;
  data: { id: number };
}

/** Takes what arrives, where the signature is right and not old. */
function receive(port: number): Promise<Event> {
  return new Promise((arrived, failed) => {
    const server = createServer((request, answer) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        try {
          const body = Buffer.concat(parts).toString();
          const header = (name: string) => String(request.headers[name]);
          const signed = `${header("webhook-id")}.${header("webhook-timestamp")}.${body}`;
          const bytes = Buffer.from(secret.replace("whsec_", ""), "base64");
          const expected = createHmac("sha256", bytes).update(signed).digest();
          const received = Buffer.from(header("webhook-signature").replace("v1,", ""), "base64");
          assert(timingSafeEqual(expected, received), "the signature is not Cartelera's");
          const age = Date.now() / 1000 - Number(header("webhook-timestamp"));
          assert(Math.abs(age) < 300, "the message is too old");
          answer.writeHead(204).end();
          server.close();
          arrived(JSON.parse(body));
        } catch (failure) {
          answer.writeHead(400).end();
          failed(failure);
        }
      });
    });
    server.listen(port, "127.0.0.1");
  });
}

async function main() {
  const reported = receive(Number(setting("PORT")));

  // Morning: what is there to watch?
  const films = await listMovie({ ...calling, query: { search: "matrix", _sort: "-year" } });
  // Other browser tests may have added films of that name.
  const row = films.data.content.find((film) => film.title === "Matrix del integrador");
  assert(row);
  const film = await getMovie({ ...calling, path: { id: row.id } });
  assert.equal(film.data.links.length, 1, "links that are off are not offered");
  const channels = await listTvChannel({ ...calling, query: { search: "integrador" } });
  assert.equal(channels.data.content[0]?.url, "https://live.example.com/play/77");
  const settings = await getAppSettings({ ...calling });
  assert.equal(typeof settings.data.itemsPerPage, "number");

  // A viewer signs in, and may play.
  const subscriber = await getSubscriber({ ...calling, path: { username: "day_customer" } });
  assert.deepEqual([subscriber.data.mayPlay, subscriber.data.reason], [true, "CURRENT"]);
  const visits = [{ kind: "SIGN_IN" as const, username: "day_customer", device: "Android TV" }];
  const recorded = await recordVisits({
    ...calling,
    headers: { "Idempotency-Key": "visits-1" },
    body: { visits },
  });
  assert.equal(recorded.data.recorded, 1);

  // They watch; the answer is lost, and the batch is sent again.
  const views = [{ contentType: "MOVIE" as const, contentId: row.id, count: 3 }];
  const count = () => countViews({ ...calling, headers: { "Idempotency-Key": "views-1" }, body: { views } });
  assert.deepEqual((await count()).data, { counted: 3, unknown: [] });
  assert.deepEqual((await count()).data, { counted: 3, unknown: [] });
  assert.equal((await getMovie({ ...calling, path: { id: row.id } })).data.views, 3);

  // Something does not play.
  const report = await createIssueReport({
    ...calling,
    body: { title: "Se corta", contentType: "MOVIE", contentId: row.id, reportType: "BUFFERING" },
  });
  assert.equal(report.data.status, "REPORTADO");
  const event = await reported;
  assert.deepEqual([event.type, event.data.id], ["ISSUE_OPENED", report.data.id]);

  // What is not a program's business stays closed: the contract says so, and the client does not even send the key.
  const refused = await listUser({ client });
  assert.equal(refused.response?.status, 401);
  console.log("The day is done.");
}

main().catch((failure) => {
  console.error(failure);
  process.exit(1);
});
