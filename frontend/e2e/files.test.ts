// The panel's files as the binary serves them: compressed beforehand, cached for as long as they are good.
import { readdirSync, readFileSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { serverOfOneFile, url } from "./support";

serverOfOneFile();

const frontend = join(dirname(fileURLToPath(import.meta.url)), "..");
/** What the build makes, and what of it the binary has. */
const [built, embedded] = [join(frontend, "build"), join(frontend, "dist")];
const script = readdirSync(join(built, "assets")).find((name) => /^panel-.*\.js$/.test(name)) ?? "";

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** As it is sent: nothing is decompressed. */
function get(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("end", () =>
        resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(parts) }),
      );
    });
    sent.on("error", reject);
    sent.end();
  });
}

test.each([
  ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
  ["gzip, deflate", "gzip", gunzipSync],
  ["br;q=0, gzip", "gzip", gunzipSync],
  ["identity", "identity", (body: Buffer) => body],
  [undefined, "identity", (body: Buffer) => body],
] as const)("who accepts %s gets %s", async (accepts, encoding, decompress) => {
  const headers: Record<string, string> = accepts ? { "accept-encoding": accepts } : {};
  const answer = await get(`/assets/${script}`, headers);
  expect(answer.status).toBe(200);
  expect(answer.headers["content-encoding"]).toBe(encoding);
  expect(answer.headers["content-type"]).toBe("text/javascript; charset=utf-8");
  expect(answer.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  expect(answer.headers.vary).toBe("accept-encoding");
  expect(decompress(answer.body).equals(readFileSync(join(built, "assets", script)))).toBe(true);
});

test("every address that is no file gets the page, which is checked each time", async () => {
  const page = readFileSync(join(built, "index.html"));
  for (const path of ["/", "/content/movies", "/index.html.br", "/.."]) {
    const answer = await get(path);
    expect([answer.status, answer.headers["cache-control"]], path).toEqual([200, "no-cache"]);
    expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(answer.headers["content-security-policy"]).toContain("default-src 'self'");
    expect(answer.body.equals(page), path).toBe(true);
  }
  for (const path of ["/assets/none.js", `/assets/${script}.br`])
    expect((await get(path)).status, path).toBe(404);
  expect((await get("/", {}, "POST")).status).toBe(405);
});

test("what is known is not sent again, in each encoding", async () => {
  const tags = new Set<string>();
  for (const encoding of ["br", "gzip", "identity"]) {
    const { headers } = await get(`/assets/${script}`, { "accept-encoding": encoding });
    const tag = headers.etag ?? "";
    tags.add(tag);
    const known = await get(`/assets/${script}`, { "accept-encoding": encoding, "if-none-match": tag });
    expect([known.status, known.body.length, known.headers.etag]).toEqual([304, 0, tag]);
  }
  expect(tags.size).toBe(3);
  for (const [encoding, file] of [
    ["br", join(embedded, "assets", `${script}.br`)],
    ["identity", join(built, "assets", script)],
  ] as const) {
    const head = await get(`/assets/${script}`, { "accept-encoding": encoding }, "HEAD");
    expect([head.status, head.body.length, head.headers["content-encoding"]]).toEqual([200, 0, encoding]);
    expect(Number(head.headers["content-length"])).toBe(readFileSync(file).length);
  }
});

test("texts are embedded compressed only, and the list of chunks is not", async () => {
  expect(readdirSync(join(embedded, "assets"))).not.toContain(script);
  const page = await get("/");
  expect((await get("/.vite/manifest.json")).body.equals(page.body)).toBe(true);
});
