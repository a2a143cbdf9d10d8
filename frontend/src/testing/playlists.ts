// A source of playlists and its run.
import type { Entry, Run, Source } from "../features/playlists/queries";

export const moment = "2026-11-20T10:15:00Z";
export const run: Run = {
  id: 5,
  sourceId: 1,
  state: "FINISHED",
  scheduled: false,
  fileName: null,
  createdBy: "ana",
  createdDate: moment,
  finishedDate: moment,
  fault: null,
  statusCode: null,
  limit: null,
  guides: [],
  operations: [],
  applyFault: null,
  counts: {
    entries: 2,
    new: 2,
    changed: 0,
    unchanged: 0,
    missing: 0,
    lost: 0,
    inUse: 0,
    duplicates: 0,
    refused: 0,
    films: 0,
    series: 0,
  },
};
/** How many entries there are, as the server counts them. */
export const changeCounts = { new: 2, changed: 0, unchanged: 0, missing: 0, ignored: 0 };

export const source: Source = {
  id: 1,
  version: 1,
  title: "Proveedor",
  url: null,
  refreshHours: null,
  automatic: "NOTHING",
  defaultCategoryId: null,
  categories: [],
  firstNumber: 1,
  radioCountry: null,
  radioGenre: null,
  active: true,
  createdDate: moment,
  updatedDate: moment,
  updatedBy: "ana",
  nextRefreshDate: null,
  lastRun: run,
};

export const page = <T>(content: T[]) => ({
  content,
  page: 0,
  size: 10,
  totalPages: 1,
  totalElements: content.length,
});

/** An entry that is new in the list of its source. */
export const newEntry: Entry = {
  id: 9,
  change: "NEW",
  name: "Quimera",
  url: "http://a.example/9",
  groups: [],
  guideId: null,
  logo: null,
  number: null,
  radio: false,
  ignored: false,
  itemId: null,
  itemType: null,
  streamOf: null,
  missingSince: null,
  recognisedBy: null,
  candidates: [],
  duplicateOf: null,
  changesItem: null,
  fields: [],
};
