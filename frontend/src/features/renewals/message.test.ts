// The addresses that send a message.
import { expect, test } from "vitest";
import { whatsAppAddress } from "./message";

test("the text for WhatsApp is encoded: it is one value, whatever is in it", () => {
  const text = "¿Renovamos? 100 % & más\n#2 + 1=3";
  const address = new URL(whatsAppAddress({ digits: "34600123456" }, text));
  expect(address.origin + address.pathname).toBe("https://wa.me/34600123456");
  expect([...address.searchParams]).toEqual([["text", text]]);
  expect(address.hash).toBe("");
});
