// A plugin for Vite that writes what the binary embeds into `dist`: of each text of the build a brotli and a gzip file, so
// that neither the compiler of the binary nor a request has to compress it, and the other files as they are.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";

const isText = /\.(js|css|html|svg|json|txt|webmanifest)$/;
/** Below this size (bytes), a response takes one packet either way. */
const smallest = 1_000;

export function compress(): Plugin {
  let built = "";
  let embedded = "";
  return {
    name: "compress",
    apply: "build",
    configResolved: ({ root, build }) => {
      built = resolve(root, build.outDir);
      embedded = resolve(root, "dist");
    },
    // Not called where the build failed: its own error is the one that is shown.
    writeBundle: () => {
      const names = readdirSync(built, { recursive: true, encoding: "utf8" });
      mkdirSync(embedded, { recursive: true });
      // Git keeps this file, so that the binary compiles without the panel.
      const old = readdirSync(embedded).filter((name) => name !== ".gitkeep");
      for (const name of old) rmSync(join(embedded, name), { recursive: true });
      for (const name of names) {
        const [file, to] = [join(built, name), join(embedded, name)];
        // Of hidden files there is Vite's list of chunks, which scripts/size.mjs reads.
        if (name.startsWith(".") || statSync(file).isDirectory()) continue;
        mkdirSync(dirname(to), { recursive: true });
        if (!isText.test(file) || statSync(file).size < smallest) {
          copyFileSync(file, to);
          continue;
        }
        const content = readFileSync(file);
        const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
        writeFileSync(`${to}.br`, brotliCompressSync(content, { params }));
        writeFileSync(`${to}.gz`, gzipSync(content, { level: 9 }));
      }
    },
  };
}
