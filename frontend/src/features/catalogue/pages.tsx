// The pages of any kind of content: fetches the kind's definition and hands it to the shared screens.
import type { ComponentType } from "react";
import { useParams } from "react-router";
import { type Kind, kinds } from "../../access/kinds";
import { readAhead } from "../../api/ahead";
import { loadFormTexts } from "../../i18n";
import { lazyPart } from "../../loading/lazyPart";
import { ContentList } from "./ContentList";
import type { ContentDefinition } from "./define";
import { definitions } from "./definitions";

type Page = ComponentType<{ id?: number }>;

interface PageProps {
  kind: Kind;
}

// biome-ignore lint/suspicious/noExplicitAny: which kind it is was decided by the address, after the compiler left
type Screen = ComponentType<{ definition: ContentDefinition<any>; id?: number }>;

/** A page for each kind, its definition and its screen fetched side by side. */
function pagesFor(screen: () => Promise<Screen>) {
  return Object.fromEntries(
    kinds.map((kind) => [
      kind,
      lazyPart(async () => {
        const [{ default: definition }, Screen] = await Promise.all([definitions[kind](), screen()]);
        return {
          default: ({ id }: { id?: number }) => <Screen definition={definition} id={id} key={id ?? kind} />,
        };
      }),
    ]),
  ) as Record<Kind, Page & { preload: () => Promise<unknown> }>;
}

const lists = pagesFor(async () => ContentList as Screen);
const forms = () => withTexts(import("./ContentForm"));
const creations = pagesFor(async () => (await forms()).CreateContent as Screen);
const editions = pagesFor(async () => (await forms()).EditContent as Screen);
const details = pagesFor(async () => (await withTexts(import("./ContentDetails"))).ContentDetails as Screen);

/** Texts that no list has are fetched with the first form. */
async function withTexts<Module>(module: Promise<Module>): Promise<Module> {
  return (await Promise.all([module, loadFormTexts()]))[0];
}

/** Longer than it takes to read rows that have arrived (ms). Later ones are shown when they have. */
const rowsWait = 100;

/** Downloads a list whose page is not shown yet, and reads the first rows that the document has requested. */
export async function loadList(kind: Kind): Promise<void> {
  await lists[kind].preload();
  await Promise.race([readAhead(), new Promise((done) => setTimeout(done, rowsWait))]);
}

export function ContentListPage({ kind }: PageProps) {
  const List = lists[kind];
  return <List key={kind} />;
}

export function CreateContentPage({ kind }: PageProps) {
  const Create = creations[kind];
  return <Create key={kind} />;
}

export function EditContentPage({ kind }: PageProps) {
  const Edit = editions[kind];
  return <Edit key={kind} id={useId()} />;
}

export function ContentDetailsPage({ kind }: PageProps) {
  const Details = details[kind];
  return <Details key={kind} id={useId()} />;
}

/** An id that is none requests item 0, which there never is: the server's "not found" is the right answer. */
function useId(): number {
  const { id = "" } = useParams();
  return /^\d{1,15}$/.test(id) ? Number(id) : 0;
}
