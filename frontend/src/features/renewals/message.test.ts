// What a message says of the end of a subscription, and the addresses that send it.
import { expect, test } from "vitest";
import { filled, fits, whatsAppAddress } from "./message";

test("a subscription that is over has ended, and another one ends", () => {
  const customer = { fullName: "Luis", username: "luis", expirationDate: "2026-11-25T22:00:00Z" };
  const end = Date.parse(customer.expirationDate);
  const said = (language: "es" | "en", now: number) => filled("{expires}", customer, 1, language, now);
  expect(said("es", end - 1)).toBe("vence el 25 de noviembre de 2026");
  expect(said("es", end + 1)).toBe("venció el 25 de noviembre de 2026");
  expect(said("en", end - 1)).toBe("ends on 25 November 2026");
  expect(said("en", end + 1)).toBe("ended on 25 November 2026");
});

test.each(["{end}", "{expires}"])("a message with %s is not for a subscription without an end", (spanish) => {
  const message = { id: 1, name: "Aviso", spanish, english: "Hello" };
  expect(fits(message, { expirationDate: null })).toBe(false);
  expect(fits(message, { expirationDate: "2026-11-25T22:00:00Z" })).toBe(true);
});

test("the text for WhatsApp is encoded: it is one value, whatever is in it", () => {
  const text = "¿Renovamos? 100 % & más\n#2 + 1=3";
  const address = new URL(whatsAppAddress({ digits: "34600123456" }, text));
  expect(address.origin + address.pathname).toBe("https://wa.me/34600123456");
  expect([...address.searchParams]).toEqual([["text", text]]);
  expect(address.hash).toBe("");
});
