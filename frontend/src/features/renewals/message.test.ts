// Addresses of messages.
import { describe, expect, test } from "vitest";
import { whatsAppAddress } from "./message";

describe("the address in WhatsApp", () => {
  test.each([
    ["+34 600-111 222", "52", "34600111222"],
    ["0034 600 111 222", undefined, "34600111222"],
    ["600 111 222", "34", "34600111222"],
    ["07700 900123", "44", "447700900123"],
    ["06 6982 1234", "39", "390669821234"],
    ["+39 06 6982 1234", "39", "390669821234"],
    ["01 23 45 67 89", "225", "2250123456789"],
    // Long enough to have the code already.
    ["34600111222", "34", "34600111222"],
    ["34600111222", undefined, "34600111222"],
    ["34 5551234", "34", "34345551234"],
    ["(0034) 600 111 222", "34", "34600111222"],
    ["(+34) 600 111 222", "34", "34600111222"],
    ["+44 (0)7700 900123", "44", "447700900123"],
    ["44 07700 900123", "44", "447700900123"],
    // A national number of eleven digits.
    ["11 91234 5678", "55", "5511912345678"],
  ])("of %s, where the code is %s, is %s", (phoneNumber, code, digits) => {
    expect(whatsAppAddress(phoneNumber, "Hola, ¿qué tal?", code)).toBe(
      `https://wa.me/${digits}?text=Hola%2C%20%C2%BFqu%C3%A9%20tal%3F`,
    );
  });

  test.each([
    ["600 111 222", null],
    ["", "34"],
  ])("of «%s», where the code is %s, is none", (phoneNumber, code) => {
    expect(whatsAppAddress(phoneNumber, "Hola", code)).toBeUndefined();
  });
});
