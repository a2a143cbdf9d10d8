// The calls that download and upload files of resources: spreadsheets, TV guides, playlists.
import { currentLanguage } from "../i18n";
import { call, request } from "./client";
import type { Resource } from "./resources";
import type { components } from "./schema.gen";

export type SpreadsheetColumn = components["schemas"]["SpreadsheetColumn"];

/** The columns that a spreadsheet of a list can have. */
export function getSpreadsheetColumns(file: string, signal: AbortSignal): Promise<SpreadsheetColumn[]> {
  return request("get", `/${file}/columns`, { signal });
}

/** The address of a spreadsheet of what a list shows; it is downloaded by the browser. */
export function spreadsheetAddress(file: string, query: Record<string, string>): string {
  return `/api/${file}?${new URLSearchParams(query)}`;
}

export type UploadedSpreadsheet = components["schemas"]["UploadedSpreadsheet"];

/** Uploads a file that is to be imported; of a workbook, the worksheet that is named. */
export function uploadSpreadsheet(
  resource: Resource | "users",
  file: File,
  worksheet?: string,
): Promise<UploadedSpreadsheet> {
  const query = { fileName: file.name.slice(0, 200), sheet: worksheet };
  return request("post", `/${resource}/spreadsheet-imports`, { query, body: file });
}

/** Uploads the file of a TV guide, which is read by a job. */
export function uploadGuide(guide: number, file: File): Promise<components["schemas"]["GuideFetch"]> {
  const query = { fileName: file.name.slice(0, 200) };
  return call("post", `/tv-guides/${guide}/upload`, { query, body: file });
}

/** Uploads a playlist, which is read and compared by a job. */
export function uploadPlaylist(
  source: number,
  file: File,
  acceptLoss: boolean,
): Promise<components["schemas"]["PlaylistRun"]> {
  const query = { fileName: file.name.slice(0, 200), acceptLoss };
  return call("post", `/playlist-sources/${source}/upload`, { query, body: file });
}

/** Imports a file that was uploaded, or shows what would change. */
export function importSpreadsheet(
  resource: Resource | "users",
  id: number,
  body: components["schemas"]["SheetImportRequest"],
  idempotencyKey?: string,
): Promise<components["schemas"]["Operation"]> {
  return request("post", `/${resource}/spreadsheet-imports/${id}/run`, { body, idempotencyKey });
}

/** The address of the rows that an operation or an import did not change; it is downloaded by the browser. */
export function failuresAddress(operation: number): string {
  return `/api/operations/${operation}/failures?language=${currentLanguage()}`;
}

/** The address of an empty spreadsheet; it is downloaded by the browser. */
export function templateAddress(resource: Resource | "users", query: Record<string, string>): string {
  return `/api/${resource}/spreadsheet/template?${new URLSearchParams(query)}`;
}
