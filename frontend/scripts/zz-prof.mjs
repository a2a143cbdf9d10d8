import { browser, signedIn } from "./measuring.mjs";
const [url, username, password] = process.argv.slice(2);
const state = await signedIn(url, username, password);
for (let k = 0; k < 2; k++) {
const context = await browser.newContext({ baseURL: url, viewport: { width: 1440, height: 900 }, storageState: state });
const page = await context.newPage();
const d = await context.newCDPSession(page);
await d.send("Profiler.enable"); await d.send("Profiler.setSamplingInterval", { interval: 200 });
await d.send("Performance.enable");
await d.send("Profiler.start");
const start = performance.now();
await page.goto("/content/movies", { waitUntil: "commit" });
await page.locator("tbody tr td a").first().waitFor();
const usable = performance.now() - start;
const { profile } = await d.send("Profiler.stop");
const m = Object.fromEntries((await d.send("Performance.getMetrics")).metrics.map((x) => [x.name, x.value]));
const self = new Map(); const byId = new Map(profile.nodes.map((n) => [n.id, n]));
const parent = new Map(); for (const n of profile.nodes) for (const c of n.children ?? []) parent.set(c, n.id);
profile.samples.forEach((id, i) => { const n = byId.get(id); const dt = profile.timeDeltas[i] / 1000; const key = `${n.callFrame.functionName || "(anon)"} ${n.callFrame.url.split("/").pop()}:${n.callFrame.lineNumber}:${n.callFrame.columnNumber}`; self.set(key, (self.get(key) ?? 0) + dt); });
console.log("usable", Math.round(usable), "script", m.ScriptDuration.toFixed(3), "layout", m.LayoutDuration.toFixed(3), "style", m.RecalcStyleDuration.toFixed(3), "task", m.TaskDuration.toFixed(3), "nodes", m.Nodes);
for (const [key, ms] of [...self].sort((a, b) => b[1] - a[1]).slice(0, 22)) console.log(ms.toFixed(1), key);
await context.close(); }
await browser.close();
