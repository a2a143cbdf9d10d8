// Global setup of all test files: starts the mock film database and creates a database with an administrator and some
// categories, of which each file gets a copy (`support.ts`).
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { categories } from "./categories";
import { start as startFilmDatabase } from "./film-database/server.mjs";
import { binary, clockLibrary, optionsOf, panel } from "./server";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the prepared database. */
    prepared: string;
    filmDatabase: string;
  }
}

const clockSource = join(dirname(fileURLToPath(import.meta.url)), "clock.c");

export default async function startCartelera(project: TestProject) {
  if (!existsSync(binary))
    throw new Error(`There is no ${binary}: run scripts/test browser, which builds it.`);
  if (!existsSync(panel)) throw new Error("The panel is not built: run npm run build in frontend.");

  const films = await startFilmDatabase();
  const folder = await mkdtemp(join(tmpdir(), "cartelera-browser-"));
  const stop = async () => {
    await films.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const file = join(folder, "categories.ndjson");
    await writeFile(file, categories.map((category) => `${JSON.stringify(category)}\n`).join(""));
    const run = promisify(execFile);
    // Compiling the binary needs a C compiler anyway.
    await run("cc", ["-shared", "-fPIC", "-O1", "-o", clockLibrary, clockSource]);
    const options = optionsOf(folder, 0, films.url);
    await run(binary, ["migrate"], options);
    await run(binary, ["import", file], options);
  } catch (failure) {
    await stop();
    throw failure;
  }
  project.provide("prepared", folder);
  project.provide("filmDatabase", films.url);
  return stop;
}
