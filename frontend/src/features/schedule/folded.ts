// Text as the search compares it.

/** A text as it is compared in a search. */
export const folded = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
