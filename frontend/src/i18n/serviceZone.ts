// The service's time zone, as the session names it: subscriptions end on its days. The reader's until it is known.
// A module of its own: the sign-in needs no formats.

let zone: string | undefined;

export const serviceZone = () => zone;

export function setServiceZone(timeZone: string | undefined): void {
  zone = timeZone;
}
