// One server of the product on a database file of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { rename, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const repository = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
export const binary = process.env.CARTELERA_BINARY ?? join(repository, "target", "debug", "cartelera");
export const panel = join(repository, "frontend", "build", "index.html");
export const admin = { username: "admin", password: "Cartelera-2026" };

interface Server {
  /** Ends the server and removes its folder. Prints what it logged if something went wrong in it. */
  stop: () => Promise<void>;
}

/** What moves the clock of a server on. Beside the binary: folders of temporary files may hold nothing that is executed. */
export const clockLibrary = join(dirname(binary), "browser-test-clock.so");
/** By how many seconds, in the folder of a server. */
const clockFile = "clock";

/** Moves the clock of the server with its data in the folder on by so many minutes, counted from the machine's. */
export async function setClock(folder: string, minutes: number) {
  const file = join(folder, clockFile);
  await writeFile(`${file}.new`, String(minutes * 60));
  await rename(`${file}.new`, file);
}

/** How a command of the product is run: with its data in the folder, from where it finds the panel's files. */
export function optionsOf(folder: string, port: number, filmDatabase: string) {
  const env = {
    LD_PRELOAD: clockLibrary,
    TEST_CLOCK: join(folder, clockFile),
    PATH: process.env.PATH,
    CARTELERA_BIND: `127.0.0.1:${port}`,
    CARTELERA_PUBLIC_URL: `http://127.0.0.1:${port}`,
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
  return { cwd: repository, env };
}

/** Starts a server with its data in the folder, and waits until it answers. */
export async function startServer(folder: string, port: number, filmDatabase: string): Promise<Server> {
  const server = spawn(binary, ["serve"], {
    ...optionsOf(folder, port, filmDatabase),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const logged: string[] = [];
  for (const stream of [server.stdout, server.stderr]) stream.on("data", (text) => logged.push(String(text)));
  const stop = async () => {
    if (server.exitCode === null && server.signalCode === null) {
      const ended = new Promise((done) => server.once("exit", done));
      // Its data go with it: nothing has to be written.
      server.kill("SIGKILL");
      await ended;
    }
    // A backup is made by a process of its own, which ends a moment after the server: it may put files in meanwhile.
    await rm(folder, { recursive: true, force: true, maxRetries: 20 });
    const log = logged.join("");
    if (/panicked at|ERROR/.test(log)) console.warn(`The server logged:\n${log}`);
  };
  try {
    await ready(server, `http://127.0.0.1:${port}`);
  } catch (failure) {
    await stop();
    throw new Error(`${failure instanceof Error ? failure.message : failure}\n${logged.join("")}`);
  }
  return { stop };
}

async function ready(server: ChildProcess, url: string) {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    if (server.exitCode !== null) throw new Error(`The server ended with ${server.exitCode}.`);
    const answer = await fetch(`${url}/api/health/ready`).catch(() => null);
    if (answer?.ok) return;
    await pause(50);
  }
  throw new Error("The server was not ready within 60 s.");
}

/** An unused port. Below those that the system assigns to connections: it stays free between two servers. */
export function freePort(): Promise<number> {
  const port = 11_000 + Math.floor(Math.random() * 20_000);
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(freePort()));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(port)));
  });
}
