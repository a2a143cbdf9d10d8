// Starts what the tests look at: the stand-in, and for each worker a server of its own on an empty database with some
// categories: files that run side by side never see each other's data.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { categories } from "./categories";
import { start as startFilmDatabase } from "./film-database/server.mjs";
import { workers } from "./workers";

declare module "vitest" {
  interface ProvidedContext {
    /** One for each worker. */
    urls: string[];
    filmDatabase: string;
    admin: { username: string; password: string };
  }
}

const repository = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const binary = process.env.CARTELERA_BINARY ?? join(repository, "target", "debug", "cartelera");
const admin = { username: "admin", password: "Cartelera-2026" };

interface Started {
  url: string;
  said: () => string;
  stop: () => Promise<void>;
}

export default async function startCartelera(project: TestProject) {
  if (!existsSync(binary))
    throw new Error(`There is no ${binary}: run scripts/test browser, which builds it.`);
  if (!existsSync(join(repository, "frontend", "dist", "index.html")))
    throw new Error("The panel is not built: run npm run build in frontend.");

  const films = await startFilmDatabase();
  const started: Started[] = [];
  const stop = async () => {
    await Promise.all(started.map((server) => server.stop()));
    await films.close();
  };
  try {
    for (let worker = 0; worker < workers; worker++) started.push(await startOne(films.url));
  } catch (failure) {
    await stop();
    throw failure;
  }

  project.provide(
    "urls",
    started.map(({ url }) => url),
  );
  project.provide("filmDatabase", films.url);
  project.provide("admin", admin);

  return async () => {
    await stop();
    for (const { said } of started)
      if (/panicked at|ERROR/.test(said())) console.warn(`A server said:\n${said()}`);
  };
}

async function startOne(filmDatabase: string): Promise<Started> {
  const folder = await mkdtemp(join(tmpdir(), "cartelera-browser-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const environment = {
    PATH: process.env.PATH,
    CARTELERA_BIND: `127.0.0.1:${port}`,
    CARTELERA_PUBLIC_URL: url,
    CARTELERA_DATABASE_URL: `sqlite://${join(folder, "cartelera.db")}`,
    CARTELERA_ADMIN_USERNAME: admin.username,
    CARTELERA_ADMIN_PASSWORD: admin.password,
    CARTELERA_FILM_DATABASE_URL: filmDatabase,
    // Receivers of webhooks are the tests themselves.
    CARTELERA_WEBHOOK_ALLOW: "127.0.0.1",
    // So are the providers of playlists.
    CARTELERA_FETCH_ALLOW: "127.0.0.1",
    CARTELERA_BACKUP_DIR: join(folder, "backups"),
    CARTELERA_LOG: "warn",
  };
  // From the repository's root, where the development build finds the panel's files.
  const options = { cwd: repository, env: environment };

  let server: ChildProcess | undefined;
  let said = () => "";
  const stop = async () => {
    if (server && server.exitCode === null) {
      server.kill("SIGTERM");
      await Promise.race([new Promise((done) => server?.once("exit", done)), pause(5_000)]);
      server.kill("SIGKILL");
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const file = join(folder, "categories.ndjson");
    await writeFile(file, categories.map((category) => `${JSON.stringify(category)}\n`).join(""));
    const run = promisify(execFile);
    await run(binary, ["migrate"], options);
    await run(binary, ["import", file], options);

    server = spawn(binary, ["serve"], { ...options, stdio: ["ignore", "pipe", "pipe"] });
    said = listen(server);
    await ready(server, url);
  } catch (failure) {
    await stop();
    throw new Error(`${failure instanceof Error ? failure.message : failure}\n${said()}`);
  }
  return { url, said: () => said(), stop };
}

function listen(server: ChildProcess): () => string {
  const said: string[] = [];
  for (const stream of [server.stdout, server.stderr]) stream?.on("data", (text) => said.push(String(text)));
  return () => said.join("");
}

async function ready(server: ChildProcess, url: string) {
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline) {
    if (server.exitCode !== null) throw new Error(`The server ended with ${server.exitCode}.`);
    const answer = await fetch(`${url}/api/health/ready`).catch(() => null);
    if (answer?.ok) return;
    await pause(100);
  }
  throw new Error("The server was not ready within 30 s.");
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => (address && typeof address === "object" ? resolve(address.port) : reject(address)));
    });
  });
}
