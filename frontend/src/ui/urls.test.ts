import { expect, test } from "vitest";
import { trailerOf } from "./trailer";
import { pictureUrl } from "./urls";

test.each([
  ["javascript:alert(1)"],
  ["data:image/svg+xml,<svg onload=alert(1)>"],
  ["file:///etc/passwd"],
  ["//a.example/x.png"],
  ["no address"],
  [""],
  [null],
])("%s is never loaded", (text) => {
  expect(pictureUrl(text)).toBeUndefined();
  expect(trailerOf(text)).toBeUndefined();
});

test.each<[string, object]>([
  [
    "https://www.youtube.com/watch?v=vKQi3bBA1y8&t=3",
    { kind: "embed", src: "https://www.youtube-nocookie.com/embed/vKQi3bBA1y8" },
  ],
  [
    "https://youtu.be/vKQi3bBA1y8",
    { kind: "embed", src: "https://www.youtube-nocookie.com/embed/vKQi3bBA1y8" },
  ],
  [
    "https://m.youtube.com/shorts/vKQi3bBA1y8",
    { kind: "embed", src: "https://www.youtube-nocookie.com/embed/vKQi3bBA1y8" },
  ],
  ["https://vimeo.com/76979871", { kind: "embed", src: "https://player.vimeo.com/video/76979871?dnt=1" }],
  [
    "https://player.vimeo.com/video/76979871",
    { kind: "embed", src: "https://player.vimeo.com/video/76979871?dnt=1" },
  ],
  [
    "https://youtube.com.evil.example/watch?v=vKQi3bBA1y8",
    { kind: "unknown", href: "https://youtube.com.evil.example/watch?v=vKQi3bBA1y8" },
  ],
  [
    'https://www.youtube.com/watch?v="><script>',
    { kind: "unknown", href: "https://www.youtube.com/watch?v=%22%3E%3Cscript%3E" },
  ],
  ...["mp4", "webm", "ogg", "mov", "avi", "mkv"].map((ending): [string, object] => [
    `https://a.example/t.${ending}?x=1`,
    { kind: "file", src: `https://a.example/t.${ending}?x=1` },
  ]),
  ["https://a.example/page", { kind: "unknown", href: "https://a.example/page" }],
])("%s", (text, expected) => {
  expect(trailerOf(text)).toEqual(expected);
});
