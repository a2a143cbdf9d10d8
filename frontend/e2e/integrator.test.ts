// What integrators are promised: the curl of docs/integrating.md works as it stands, and a client that a public
// generator makes out of the contract compiles and gets through the day.
import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "./server";
import { categoryId, clientOf, create, nightly, serverOfOneFile, setBaseUrl, url } from "./support";

serverOfOneFile();
const run = promisify(execFile);
const here = dirname(fileURLToPath(import.meta.url));
const panel = join(here, "..");
const scopes = [
  "CATALOGUE_READ",
  "SETTINGS_READ",
  "ISSUES_REPORT",
  "VIEWS_COUNT",
  "VISITS_RECORD",
  "SUBSCRIBERS_READ",
  "EXPORT",
];
let folder: string;
let key: string;
let port: number;
let secret: string;
let film: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cartelera-integrator-"));
  const client = await clientOf();
  key = (await create<{ key: string }>(client, "integrator-keys", { name: "El día", scopes })).key;
  port = await freePort();
  const hook = { name: "El día", url: `http://127.0.0.1:${port}/hook`, events: ["ISSUE_OPENED"] };
  secret = (await create<{ secret: string }>(client, "webhooks", hook)).secret;
  const link = { quality: "FHD", url: "https://cdn.example.com/one.m3u8", audioLanguages: ["SPANISH"] };
  const made = await create(client, "movies", {
    title: "Matrix del integrador",
    year: 1999,
    durationMinutes: 136,
    classification: "R",
    genres: ["ACTION"],
    categoryId: await categoryId(client, "Acción"),
    links: [link, { ...link, url: "https://cdn.example.com/two.m3u8", active: false }],
  });
  film = made.id;
  await setBaseUrl(client, "channels", "https://live.example.com/play/");
  await create(client, "tv-channels", {
    title: "Canal del integrador",
    channelNumber: 77,
    categories: [await categoryId(client, "Canales nacionales")],
    urlType: "INTERNAL",
    url: "77",
  });
  await create(client, "users", {
    username: "day_customer",
    fullName: "Cliente del día",
    email: "cliente@example.com",
    phoneNumber: "+34 600 123 456",
    password: "1234",
    roleCode: "app",
  });
  await create(client, "credits/add", { targetUsername: "day_customer", amount: 1 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.runIf(nightly)("a client that a public generator makes compiles, and gets through the day", async () => {
  const bin = (name: string) => join(panel, "node_modules", ".bin", name);
  const contract = `${url}/api/openapi.json`;
  const generated = join(folder, "client");
  await run(bin("openapi-ts"), ["-i", contract, "-o", generated, "-c", "@hey-api/client-fetch"], {
    cwd: panel,
  });
  await copyFile(join(here, "integrator", "day.ts"), join(folder, "day.ts"));
  const options = "--strict --target es2022 --lib es2022,dom,dom.iterable --skipLibCheck --esModuleInterop";
  const modules = "--module commonjs --moduleResolution node10 --ignoreDeprecations 5.0 --types node";
  await run(
    bin("tsc"),
    [
      ...`${options} ${modules}`.split(" "),
      "--typeRoots",
      join(panel, "node_modules", "@types"),
      "--outDir",
      join(folder, "out"),
      join(folder, "day.ts"),
    ],
    { cwd: folder },
  ).catch(({ stdout }) => expect.unreachable(stdout));
  const env = { ...process.env, URL: url, KEY: key, SECRET: secret, PORT: String(port) };
  const { stdout } = await run(process.execPath, [join(folder, "out", "day.js")], { env, timeout: 30_000 });
  expect(stdout).toContain("The day is done.");
});

test("every curl of docs/integrating.md works as it stands", async () => {
  const text = await readFile(join(panel, "..", "docs", "integrating.md"), "utf8");
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block ?? "");
  expect(blocks.length).toBeGreaterThan(7);
  expect(blocks.join("").match(/curl /g)?.length).toBeGreaterThan(9);
  const program = ["set -euo pipefail", ...blocks].join("\n");
  const env = { ...process.env, BASE: url, KEY: key, MOVIE: String(film) };
  await run("bash", ["-c", program], { env }).catch(({ stdout, stderr }) =>
    expect.unreachable(`${stdout}\n${stderr}`),
  );
});
