// The first step of a new film: find it in the film database and start from what is known there, by its id or
// by its title; or start from nothing.
import { Alert, Button, Group, TextInput } from "@mantine/core";
import "@mantine/core/styles/Alert.layer.css";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useMay } from "../../access/session";
import { call } from "../../api/client";
import type { Operation, ResponseBody } from "../../api/operations";
import { isMissing, messageOf, Problem } from "../../api/problem";
import { paths } from "../../routing/paths";
import { AlertIcon, SearchIcon } from "../../ui/icons";
import { Cover } from "../../ui/values";
import "./lookup.css";

export interface FoundFilm {
  draft: Record<string, unknown>;
  unmatchedGenres: string[];
}

/** What is looked for, and the words for it. Only films are found by their title. */
const sought = {
  movie: { heading: "lookup.heading", help: "lookup.help", byTitle: true },
  "tv-show": { heading: "series.lookup.heading", help: "series.lookup.help", byTitle: false },
  episode: { heading: "episodes.lookup.heading", help: "episodes.lookup.help", byTitle: false },
} as const;

interface FilmLookupProps {
  as: keyof typeof sought;
  /** Looked up at once. */
  initialId?: string;
  onFound: (film: FoundFilm) => void;
  /** Without it the form is there already. */
  onManual?: () => void;
  onCancel: () => void;
}

/** The id in what was written: alone, without its letters, or inside an address that was pasted. */
export function titleIdOf(text: string): string | undefined {
  const digits = /^(?:tt)?(\d{1,10})$/i.exec(text.trim())?.[1] ?? /\btt(\d{5,10})\b/i.exec(text)?.[1];
  return digits && `tt${digits}`;
}

/** The id to fetch, if it is one: where titles are searched, too, few digits alone are a film, «1917». */
const wantedId = (as: keyof typeof sought, text: string) =>
  sought[as].byTitle && /^\d{1,6}$/.test(text.trim()) ? undefined : titleIdOf(text);

export function FilmLookup({ as, initialId, onFound, onManual, onCancel }: FilmLookupProps) {
  const { t } = useTranslation();
  const [text, setText] = useState(initialId ?? "");
  const { heading, help } = sought[as];
  const lookup = useTitleLookup(as, onFound);
  const { candidates } = lookup;
  const start = () => lookup.start(text);

  const begin = useRef(start);
  useEffect(() => {
    if (initialId) begin.current();
  }, [initialId]);

  return (
    <section className="form-section lookup" aria-label={t(heading)}>
      <h2>{t(heading)}</h2>
      <LookupForm
        help={t(help)}
        text={text}
        isNoId={lookup.isNoId}
        isBusy={lookup.isBusy}
        onChange={(next) => {
          setText(next);
          lookup.clearFailure();
        }}
        onSubmit={start}
      />
      <div aria-live="polite">
        {lookup.failure && (
          <LookupFailure as={as} id={lookup.fetchedId} error={lookup.failure} onRetry={start} />
        )}
        {candidates?.length === 0 && <p className="quiet">{t("lookup.nothing")}</p>}
      </div>
      {candidates && candidates.length > 0 && (
        <FilmChoice films={candidates} isBusy={lookup.isBusy} onChoose={lookup.fetch} />
      )}
      <Group gap="sm" mt="md">
        {onManual && (
          <Button variant="default" onClick={onManual}>
            {t("lookup.manual")}
          </Button>
        )}
        <Button variant="subtle" color="gray" onClick={onCancel}>
          {t("common.cancel")}
        </Button>
      </Group>
    </section>
  );
}

/** Fetches a title by its id, or searches films by a title where the kind allows it. */
function useTitleLookup(as: keyof typeof sought, onFound: (film: FoundFilm) => void) {
  const { byTitle } = sought[as];
  const [isNoId, setNoId] = useState(false);
  const fetching = useMutation({
    mutationFn: (id: string) => call("get", `/lookup/titles/${id}`, { query: { as } }),
  });
  // Not an option of the mutation: an answer that arrives after the lookup was left would replace what is typed by then.
  const fetchTitle = (id: string) =>
    fetching.mutate(id, {
      onSuccess: ({ draft, unmatchedGenres }) => onFound({ draft, unmatchedGenres: unmatchedGenres ?? [] }),
    });
  const searching = useMutation({
    mutationFn: (title: string) => call("get", "/lookup/search", { query: { title } }),
  });
  const isBusy = fetching.isPending || searching.isPending;
  return {
    isBusy,
    isNoId,
    failure: fetching.error ?? searching.error,
    fetchedId: fetching.variables,
    candidates: searching.data?.results,
    fetch: fetchTitle,
    start: (text: string) => {
      const wanted = text.trim();
      if (!wanted || isBusy) return;
      fetching.reset();
      searching.reset();
      const id = wantedId(as, wanted);
      setNoId(!id && !byTitle);
      if (id) fetchTitle(id);
      else if (byTitle) searching.mutate(wanted);
    },
    clearFailure: () => {
      fetching.reset();
      setNoId(false);
    },
  };
}

interface LookupFormProps {
  help: string;
  text: string;
  /** What was typed is no id, and this kind is found by ids only. */
  isNoId: boolean;
  isBusy: boolean;
  onChange: (text: string) => void;
  onSubmit: () => void;
}

function LookupForm({ help, text, isNoId, isBusy, onChange, onSubmit }: LookupFormProps) {
  const { t } = useTranslation();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Group align="flex-end" gap="sm">
        <TextInput
          className="lookup-input"
          label={t("lookup.label")}
          placeholder="tt0133093"
          value={text}
          data-autofocus
          autoFocus
          aria-describedby="lookup-help"
          error={isNoId && t("episodes.lookup.notAnId")}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
        <Button type="submit" leftSection={<SearchIcon size={16} />} disabled={!text.trim()} loading={isBusy}>
          {t("lookup.search")}
        </Button>
      </Group>
      <p id="lookup-help" className="quiet lookup-help">
        {help}
      </p>
    </form>
  );
}

type FilmCandidate = ResponseBody<Operation<"get", "/lookup/search">>["results"][number];

interface FilmChoiceProps {
  films: readonly FilmCandidate[];
  isBusy: boolean;
  onChoose: (imdbId: string) => void;
}

function FilmChoice({ films, isBusy, onChoose }: FilmChoiceProps) {
  const { t } = useTranslation();
  return (
    <ul className="candidates" aria-label={t("lookup.results")}>
      {films.map((film) => (
        <li key={film.imdbId}>
          <button type="button" disabled={isBusy} onClick={() => onChoose(film.imdbId)}>
            <Cover url={film.posterUrl} />
            <span>
              <strong>{film.title}</strong> {film.year && <span className="quiet">({film.year})</span>}
            </span>
            <span className="quiet tabular">{film.imdbId}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** What an id is most likely of when it is not of this kind. */
const otherKind = {
  movie: { kind: "tv-shows", permission: "TVSHOW_CREATE", verb: "lookup.asShow" },
  "tv-show": { kind: "movies", permission: "MOVIE_CREATE", verb: "lookup.asMovie" },
  episode: undefined,
} as const;

interface LookupFailureProps {
  as: keyof typeof sought;
  id: string | undefined;
  error: Error;
  onRetry: () => void;
}

/** Why nothing was found, and what to do about it. */
function LookupFailure({ as, id, error, onRetry }: LookupFailureProps) {
  const { t } = useTranslation();
  const may = useMay();
  const { code, status, retryAfter, arguments: values } = error instanceof Problem ? error : noProblem;
  const other = code === "WRONG_TITLE_TYPE" ? otherKind[as] : undefined;
  const isTooMany = status === 429 || values.status === 429;
  const isHopeless = isMissing(error) || code === "WRONG_TITLE_TYPE" || status === 422;
  const seconds = Number(retryAfter);
  const advice = isTooMany
    ? seconds > 0
      ? t("lookup.tooManyUntil", { count: Math.ceil(seconds) })
      : t("lookup.tooMany")
    : isMissing(error)
      ? t("lookup.notFoundHelp")
      : undefined;
  return (
    <Alert color="red" icon={<AlertIcon />} title={t("lookup.failed")} mb="md">
      <div>{isTooMany ? advice : messageOf(error)}</div>
      {!isTooMany && advice && <div>{advice}</div>}
      {other && id && may(other.permission) && (
        <Button component={Link} to={`${paths.newContent(other.kind)}?imdb=${id}`} size="xs" mt="xs">
          {t(other.verb)}
        </Button>
      )}
      {!isHopeless && (
        <Button variant="default" size="xs" mt="xs" onClick={onRetry}>
          {t("common.retry")}
        </Button>
      )}
    </Alert>
  );
}

const noProblem = new Problem(0);
