// Streams of a channel in the server's own shapes, and the requests about them.
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client";
import type { Problem } from "../../api/problem";
import type { ObjectRule } from "../../api/rule";
import { rules } from "../../api/rules.gen";
import type { components } from "../../api/schema.gen";
import { linkInterval } from "./queries";

export type Streams = components["schemas"]["StreamsOfChannel"];
export type StreamsDraft = components["schemas"]["ChannelStreams"];
export type Stream = components["schemas"]["ChannelStream"];
export type StoredStream = components["schemas"]["StoredStream"];
export type Header = components["schemas"]["StreamHeader"];

const { properties, ...draftRule } = rules.ChannelStreams;

/** Headers of streams are there for tokens and passwords. */
const hasHeaders = ({ headers }: Pick<Stream, "headers">) => (headers ?? []).length > 0;

export const streamRule: ObjectRule = {
  ...rules.ChannelStream,
  properties: {
    ...rules.ChannelStream.properties,
    headers: {
      ...rules.ChannelStream.properties.headers,
      // Not even that there are none: a draft from before the first was typed would remove it when it is restored.
      hasCredentials: () => true,
    },
  },
};

export const streamsRule: ObjectRule = {
  ...draftRule,
  properties: {
    ...properties,
    streams: {
      ...properties.streams,
      hasCredentials: (streams) => (streams as Stream[]).some(hasHeaders),
    },
  },
};

const key = ["tv-channels", "streams"] as const;

export const streamsQuery = (channel: number) =>
  queryOptions({
    queryKey: [...key, channel],
    queryFn: ({ signal }) => call("get", `/tv-channels/${channel}/streams`, { signal }),
    staleTime: 0,
    refetchInterval: linkInterval,
  });

export function useSaveStreams(channel: number) {
  const client = useQueryClient();
  return useMutation<Streams, Problem, { draft: StreamsDraft; version: number }>({
    mutationFn: ({ draft, version }) =>
      call("put", `/tv-channels/${channel}/streams`, { body: draft, ifVersion: version }),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: key }),
        client.invalidateQueries({ queryKey: ["contents", "tv-channels"] }),
      ]),
  });
}

/** Distinguishes a stream from the others of its channel. */
export const addressOf = ({ urlType, url }: Pick<Stream, "urlType" | "url">) => `${urlType} ${url}`;

/** What a form sends of a stream. */
export const draftOf = ({ label, quality, urlType, url, headers }: Stream): Stream => ({
  label: label ?? null,
  quality: quality ?? null,
  urlType,
  url,
  headers: headers ?? [],
});

/** The headers of lines such as `Referer: https://example.com/`. */
export function headersOf(text: string): Header[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => {
      const at = line.indexOf(":");
      if (at < 0) return { name: line, value: "" };
      return { name: line.slice(0, at).trim(), value: line.slice(at + 1).trim() };
    });
}

export const linesOf = (headers: readonly Header[]) =>
  headers.map(({ name, value }) => `${name}: ${value}`).join("\n");
