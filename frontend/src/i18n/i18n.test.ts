// Both languages have all texts, and screens have no text outside of them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { kinds } from "../access/kinds";
import { rules } from "../api/rules.gen";
import { definitions } from "../features/catalogue/definitions";
import { textNear } from ".";
import activityEn from "./activity.en.json";
import activityEs from "./activity.es.json";
import appSettingsEn from "./app-settings.en.json";
import appSettingsEs from "./app-settings.es.json";
import backupsEn from "./backups.en.json";
import backupsEs from "./backups.es.json";
import creditsHistoryEn from "./credits-history.en.json";
import creditsHistoryEs from "./credits-history.es.json";
import dashboardsEn from "./dashboards.en.json";
import dashboardsEs from "./dashboards.es.json";
import emptyEn from "./empty.en.json";
import emptyEs from "./empty.es.json";
import en from "./en.json";
import type { EnumLabels } from "./enums";
import epgReviewEn from "./epg-review.en.json";
import epgReviewEs from "./epg-review.es.json";
import es from "./es.json";
import formsEn from "./forms.en.json";
import formsEs from "./forms.es.json";
import guideHealthEn from "./guide-health.en.json";
import guideHealthEs from "./guide-health.es.json";
import historyEn from "./history.en.json";
import historyEs from "./history.es.json";
import issuesEn from "./issues.en.json";
import issuesEs from "./issues.es.json";
import keysEn from "./keys.en.json";
import keysEs from "./keys.es.json";
import liveEn from "./live.en.json";
import liveEs from "./live.es.json";
import liveProfilesEn from "./live-profiles.en.json";
import liveProfilesEs from "./live-profiles.es.json";
import operationsEn from "./operations.en.json";
import operationsEs from "./operations.es.json";
import paletteEn from "./palette.en.json";
import paletteEs from "./palette.es.json";
import passwordEn from "./password.en.json";
import passwordEs from "./password.es.json";
import playlistsEn from "./playlists.en.json";
import playlistsEs from "./playlists.es.json";
import probesEn from "./probes.en.json";
import probesEs from "./probes.es.json";
import problemsEn from "./problems.en.gen.json";
import problemsEs from "./problems.es.gen.json";
import renewalsEn from "./renewals.en.json";
import renewalsEs from "./renewals.es.json";
import scheduleEn from "./schedule.en.json";
import scheduleEs from "./schedule.es.json";
import seriesEn from "./series.en.json";
import seriesEs from "./series.es.json";
import sessionsEn from "./sessions.en.json";
import sessionsEs from "./sessions.es.json";
import signInEn from "./sign-in.en.json";
import signInEs from "./sign-in.es.json";
import statementsEn from "./statements.en.json";
import statementsEs from "./statements.es.json";
import streamsEn from "./streams.en.json";
import streamsEs from "./streams.es.json";
import usersEn from "./users.en.json";
import usersEs from "./users.es.json";
import visitsEn from "./visits.en.json";
import visitsEs from "./visits.es.json";
import webhooksEn from "./webhooks.en.json";
import webhooksEs from "./webhooks.es.json";

type Texts = { [key: string]: string | Texts };

function flat(texts: Texts, path = ""): [string, string][] {
  return Object.entries(texts).flatMap(([key, value]) =>
    typeof value === "string" ? [[path + key, value] as [string, string]] : flat(value, `${path}${key}.`),
  );
}

// Spanish has a form for millions («un millón de…») that English does not.
const singular = (key: string) => key.replace(/_(one|many|other)$/, "");
const keysOf = (texts: Texts) => [...new Set(flat(texts).map(([key]) => singular(key)))].sort();
const holesOf = (text: string) => [...text.matchAll(/\{+\w+\}+/g)].map(([hole]) => hole).sort();

test.each([
  ["the sign-in screen", signInEs, signInEn],
  ["the panel", es, en],
  ["the command palette", paletteEs, paletteEn],
  ["the forms", formsEs, formsEn],
  ["the series", seriesEs, seriesEn],
  ["the users", usersEs, usersEn],
  ["the dashboards", dashboardsEs, dashboardsEn],
  ["the credit history", creditsHistoryEs, creditsHistoryEn],
  ["the renewals", renewalsEs, renewalsEn],
  ["the backups", backupsEs, backupsEn],
  ["channels and stations", liveEs, liveEn],
  ["the keys", keysEs, keysEn],
  ["the live profiles", liveProfilesEs, liveProfilesEn],
  ["the issue reports", issuesEs, issuesEn],
  ["the settings of the app", appSettingsEs, appSettingsEn],
  ["the history of visits", visitsEs, visitsEn],
  ["the change of password", passwordEs, passwordEn],
  ["the sessions", sessionsEs, sessionsEn],
  ["the webhooks", webhooksEs, webhooksEn],
  ["the playlists", playlistsEs, playlistsEn],
  ["the schedule", scheduleEs, scheduleEn],
  ["the health of guides", guideHealthEs, guideHealthEn],
  ["links and their probes", probesEs, probesEn],
  ["streams of channels", streamsEs, streamsEn],
  ["what is under way", activityEs, activityEn],
  ["the review of guides", epgReviewEs, epgReviewEn],
  ["history", historyEs, historyEn],
  ["bulk operations", operationsEs, operationsEn],
  ["the statements", statementsEs, statementsEn],
  ["the empty lists", emptyEs, emptyEn],
  ["validation", problemsEs, problemsEn],
] as [string, Texts, Texts][])(
  "%s has every key in both languages, with the same holes",
  (_name, spanish, english) => {
    expect(keysOf(english)).toEqual(keysOf(spanish));
    const englishTexts = new Map(flat(english));
    for (const [key, text] of flat(spanish)) {
      expect(text.trim(), key).not.toBe("");
      const other = englishTexts.get(key);
      if (other !== undefined) expect(holesOf(other), key).toEqual(holesOf(text));
    }
  },
);

test("no text is in two files: only the first would ever be read", () => {
  const files: Texts[] = [
    signInEs,
    es,
    formsEs,
    seriesEs,
    usersEs,
    dashboardsEs,
    creditsHistoryEs,
    renewalsEs,
    backupsEs,
    liveEs,
    keysEs,
    liveProfilesEs,
    issuesEs,
    appSettingsEs,
    visitsEs,
    passwordEs,
    sessionsEs,
    webhooksEs,
    playlistsEs,
    scheduleEs,
    guideHealthEs,
    probesEs,
    streamsEs,
    activityEs,
    epgReviewEs,
    historyEs,
    operationsEs,
    statementsEs,
    emptyEs,
  ];
  const keys = files.flatMap((texts) => flat(texts).map(([key]) => key));
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
});

test.each(kinds)("%s have a label for every field of their form", async (kind) => {
  const { default: definition } = await definitions[kind]();
  for (const field of Object.keys(rules[definition.schema].properties)) {
    expect(textNear(`contents.${kind}`, `fields.${field}`), field).not.toMatch(/^contents\./);
  }
});

test.each(["NewUser", "UserEdit"] as const)("%s has a label for every field", (schema) => {
  for (const field of Object.keys(rules[schema].properties))
    expect(textNear("users", `fields.${field}`), field).not.toMatch(/^users\./);
});

test("a new key has a label for every field", () => {
  for (const field of Object.keys(rules.NewKey.properties))
    expect(textNear("keys", `fields.${field}`), field).not.toMatch(/^keys\./);
});

test("a live profile has a label for every field", () => {
  for (const field of Object.keys(rules.LiveProfileDraft.properties))
    expect(textNear("liveProfiles", `fields.${field}`), field).not.toMatch(/^liveProfiles\./);
});

test("every value of every enumeration has a name in both languages", () => {
  const enumerations = import.meta.glob<Record<string, EnumLabels>>("../api/enums/*.gen.ts", { eager: true });
  expect(Object.keys(enumerations).length).toBeGreaterThan(10);
  for (const module of Object.values(enumerations))
    for (const [name, labels] of Object.entries(module))
      for (const [value, label] of Object.entries(labels)) {
        expect(label.es, `${name}.${value}`).toBeTruthy();
        expect(label.en, `${name}.${value}`).toBeTruthy();
      }
});

const textAttributes = [
  "label",
  "title",
  "placeholder",
  "alt",
  "aria-label",
  "description",
  "aria-description",
];
// Not language: marks, names of things, examples of what to type.
const wordless = /^(?:[^\p{L}]*|Ctrl K|https:\/\/…|tt\d+)$/u;

function literalTexts(file: string, source = readFileSync(file, "utf8")): string[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: string[] = [];
  const report = (text: string, node: ts.Node) => {
    if (wordless.test(text.trim())) return;
    found.push(`${file}:${tree.getLineAndCharacterOfPosition(node.pos).line + 1} «${text.trim()}»`);
  };
  const literals = (node: ts.Node) => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) report(node.text, node);
    else if (ts.isConditionalExpression(node)) [node.whenTrue, node.whenFalse].forEach(literals);
    else if (ts.isBinaryExpression(node)) literals(node.right);
    else if (ts.isTemplateExpression(node))
      report([node.head.text, ...node.templateSpans.map((span) => span.literal.text)].join(" "), node);
  };
  const visit = (node: ts.Node) => {
    if (ts.isJsxText(node)) report(node.text, node);
    if (ts.isJsxExpression(node) && node.expression && !ts.isJsxAttribute(node.parent))
      literals(node.expression);
    if (ts.isJsxAttribute(node) && textAttributes.includes(node.name.getText()) && node.initializer) {
      if (ts.isStringLiteral(node.initializer)) report(node.initializer.text, node);
      else if (ts.isJsxExpression(node.initializer) && node.initializer.expression)
        literals(node.initializer.expression);
    }
    if (ts.isPropertyAssignment(node) && ts.isStringLiteral(node.initializer)) {
      const name = node.name.getText().replace(/["']/g, "");
      if (textAttributes.includes(name)) report(node.initializer.text, node);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

test("no component says anything that is not in the catalogue", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".tsx") && !file.endsWith(".test.tsx") && !file.startsWith("testing"))
    .map((file) => join("src", file));
  expect(files.length).toBeGreaterThan(30);
  expect(files.flatMap((file) => literalTexts(file))).toEqual([]);
});

test("the search for literal texts finds them", () => {
  const source = `const a = <b title="Uno" aria-label={x ? "Dos" : y}>Tres {ok && "Cuatro"} {\`\${n} cinco\`}</b>; const c = { label: "Seis" };`;
  expect(literalTexts("x.tsx", source)).toHaveLength(6);
});

/** Every text of one language that a screen may show. */
const every = (...texts: Texts[]) => texts.flatMap((text) => flat(text).map(([, words]) => words));

test("one verb and one spelling each, except where the specification dictates the words", () => {
  const spanish = every(es, formsEs, seriesEs, usersEs, keysEs, webhooksEs, appSettingsEs);
  // Dictated: the button of episodes.
  expect(spanish.filter((words) => /^Agregar/.test(words))).toEqual(["Agregar Episodio"]);
  expect(spanish.filter((words) => /\bvideos?\b/i.test(words))).toEqual([]);
  // Dictated: the question before an episode is deleted.
  expect(spanish.filter((words) => /\busted\b|¿Está seguro/.test(words))).toEqual([
    "¿Está seguro de que desea eliminar este episodio?",
  ]);
});

test("English says what an English speaker would", () => {
  const english = every(en, formsEn, seriesEn, dashboardsEn, visitsEn, webhooksEn);
  const translated = /still going on|are made of this|^What is inactive|^Happened$|\bin all\b/;
  expect(english.filter((words) => translated.test(words))).toEqual([]);
});
