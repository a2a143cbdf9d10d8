// Which page numbers a pager shows: all of them up to five, else the first, the last and the neighbours.

type PageMark = number | "gap";

export function pageMarks(current: number, total: number): PageMark[] {
  if (total <= 5) return Array.from({ length: total }, (_, page) => page);
  const wanted = [0, current - 1, current, current + 1, total - 1].filter(
    (page) => page >= 0 && page < total,
  );
  const shown = [...new Set(wanted)].sort((one, other) => one - other);
  return shown.flatMap((page, index): PageMark[] => {
    const missing = index === 0 ? 0 : page - (shown[index - 1] as number) - 1;
    if (missing === 0) return [page];
    // Dots that mean one page take as much space as the page.
    return missing === 1 ? [page - 1, page] : ["gap", page];
  });
}
