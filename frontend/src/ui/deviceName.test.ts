// The names of devices, in sessions, visits and on the page of a customer.
import { expect, test } from "vitest";
import { deviceName } from "./deviceName";

test.each([
  ["Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0", "Firefox · Linux"],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0",
    "Edge · Windows",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 EdgiOS/142.0 Mobile/15E148 Safari/604.1",
    "Edge · iOS",
  ],
  [
    "Mozilla/5.0 (Linux; Android 15; SM-S911B) AppleWebKit/537.36 SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36",
    "Samsung Internet · Android",
  ],
  [
    "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36",
    "Chrome · Android",
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/130.0 Safari/537.36",
    "Chrome · macOS",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1",
    "Safari · iOS",
  ],
  ["Mozilla/5.0 (compatible; thing)", "Mozilla/5.0 (compatible; thing)"],
  ["MiApp/2 Chrome/79", "MiApp/2 Chrome/79"],
  ["Samsung Tizen 7", "Samsung Tizen 7"],
  ["curl/8.5.0", "curl/8.5.0"],
])("%s is called %s", (device, name) => {
  expect(deviceName(device)).toBe(name);
});
