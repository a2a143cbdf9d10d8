// The search of a list: waits until the typing rests, then searches from the first page.
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { CloseIcon, SearchIcon } from "../icons";

const searchDelay = 500;

interface SearchBoxProps {
  value: string;
  placeholder: string;
  /** How long the typing rests before it counts. */
  delay?: number;
  onSearch: (text: string) => void;
}

export function SearchBox({ value, placeholder, delay = searchDelay, onSearch }: SearchBoxProps) {
  const { t } = useTranslation();
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const input = useRef<HTMLInputElement>(null);
  const search = useRef(onSearch);
  search.current = onSearch;

  // The address may change without the box: going back, a link, clearing the filters.
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);

  useEffect(() => {
    if (text === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = text;
      search.current(text);
    }, delay);
    return () => clearTimeout(timer);
  }, [text, delay]);

  const now = (next: string) => {
    sent.current = next;
    setText(next);
    search.current(next);
  };

  return (
    // Elements of HTML, as in the table: the library's field and select bring 5 kB with them.
    <span className="search-box">
      <SearchIcon size={16} />
      <input
        ref={input}
        type="search"
        aria-label={placeholder}
        placeholder={placeholder}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") now(text);
          if (event.key === "Escape" && text) {
            event.stopPropagation();
            now("");
          }
        }}
      />
      {text && (
        <button
          type="button"
          aria-label={t("list.clearSearch")}
          onClick={() => {
            now("");
            // The button goes.
            input.current?.focus();
          }}
        >
          <CloseIcon size={16} />
        </button>
      )}
    </span>
  );
}
