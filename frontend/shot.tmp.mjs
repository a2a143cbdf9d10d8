import { chromium } from "playwright-core";

const url = "http://127.0.0.1:9871";
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
const only = process.argv[2];
const ctx0 = await browser.newContext({ baseURL: url });
const a = await ctx0.request.post("/api/auth/login", {
  data: { username: "root_admin", password: "Cartelera0001a" },
  headers: { origin: url },
});
if (a.status() !== 200) throw new Error(await a.text());
const cookies = await ctx0.cookies();
const shots = {
  list: { path: "/issues" },
  all: { path: "/issues?tab=all&search=corte", width: 1440, scheme: "dark", lang: "en" },
  groups: { path: "/issues?grouped=1" },
  drawer: { path: "/issues?report=9", wait: ".issue-history" },
  drawerDark: { path: "/issues?report=9", scheme: "dark", lang: "en", wait: ".issue-history" },
  list768: { path: "/issues", width: 768 },
  list390: { path: "/issues", width: 390 },
  groups768: { path: "/issues?grouped=1", width: 768, scheme: "dark" },
  groups390: { path: "/issues?grouped=1", width: 390 },
  drawer390: { path: "/issues?report=9", width: 390, wait: ".issue-history" },
  menu: {
    path: "/issues",
    act: async (p) => {
      await p
        .getByRole("button", { name: /^(Más|M.s )/ })
        .first()
        .click();
    },
  },
  dialog: {
    path: "/issues",
    act: async (p) => {
      await p
        .getByRole("button", { name: /^Marcar como resuelto/ })
        .first()
        .click();
      await p.waitForTimeout(400);
    },
  },
  dialogGroup: {
    path: "/issues?grouped=1",
    scheme: "dark",
    lang: "en",
    act: async (p) => {
      await p
        .getByRole("button", { name: /^Mark as resolved/ })
        .first()
        .click();
      await p.waitForTimeout(400);
    },
  },
  home: { path: "/" },
};
for (const [name, s] of Object.entries(shots)) {
  if (only && !name.match(only)) continue;
  const ctx = await browser.newContext({
    baseURL: url,
    viewport: { width: s.width ?? 1440, height: 900 },
    colorScheme: s.scheme ?? "light",
    reducedMotion: "reduce",
  });
  if (s.lang === "en") await ctx.addInitScript(() => localStorage.setItem("language", "en"));
  await ctx.addCookies(cookies);
  const p = await ctx.newPage();
  p.on("pageerror", (e) => console.log(name, "ERR", String(e)));
  p.on("console", (m) => {
    if (m.type() === "error") console.log(name, "CONSOLE", m.text());
  });
  await p.goto(s.path);
  await p.waitForLoadState("networkidle");
  if (s.wait) await p.locator(s.wait).waitFor();
  if (s.act) await s.act(p);
  await p.waitForTimeout(300);
  await p.screenshot({ path: `/tmp/w/s8/${name}.png` });
  await ctx.close();
}
await browser.close();
