// A part of the panel that is downloaded when it is first shown. A download that fails is tried again; then its place
// says so, and the rest of the screen (a form that is being written) stays.
import { type ComponentType, lazy, useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { useTranslation } from "react-i18next";
import { connection, isServerAnswering, useIsNewRelease } from "./release";
import { reloadKeepingDrafts } from "./reload";

// biome-ignore lint/suspicious/noExplicitAny: the props are whatever the part takes
type Part = ComponentType<any>;
type Load<P extends Part> = () => Promise<{ default: P }>;

const retryDelays = [400, 1200];

/** The module was not requested. */
class NoConnection extends Error {}

/** Loads again after a pause, twice. */
export async function retried<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  for (const delay of retryDelays) {
    try {
      return await load();
    } catch {
      await new Promise((done) => setTimeout(done, delay));
    }
  }
  return load();
}

export interface PartOptions {
  /** It would be shown over the page: so is the message. */
  isDialog?: boolean;
  /** Nothing can't be done without it: that it did not load is not shown. */
  isHint?: boolean;
  /** Loads the page again; what is typed is kept. */
  reload?: () => void;
}

/** Props may be generic: React's own type of a lazy component would forget it, hence the component's type beside it. */
export function lazyPart<P extends Part>(
  load: Load<P>,
  { isDialog = false, isHint = false, reload = reloadKeepingDrafts }: PartOptions = {},
) {
  let loaded: P | undefined;
  const preload = async () => {
    // A browser may remember a module that failed: none is requested from a server that is known to be away.
    if (connection.isLost && !(await isServerAnswering())) throw new NoConnection();
    const part = await load();
    loaded = part.default;
    return part;
  };
  const LazyPart = lazy(async (): Promise<{ default: P }> => {
    try {
      return await retried(preload);
    } catch {
      // Which tries once more when it is shown, and logs why that failed.
      return { default: retryingPart(preload, { isDialog, isHint, reload }) as P };
    }
  });
  /** What is there is rendered at once: React shows what it had to wait for 300 ms later, however short the wait was. */
  function PartOf(props: Record<string, unknown>) {
    const [Shown] = useState<Part>(() => loaded ?? LazyPart);
    return <Shown {...props} />;
  }
  return Object.assign(PartOf as unknown as P, { preload });
}

/** Stands in for a part that did not load, and becomes it once it does. */
function retryingPart<P extends Part>(load: Load<P>, { isDialog, isHint, reload }: Required<PartOptions>) {
  let loaded: P | undefined;
  return function RetryingPart(props: Record<string, unknown>) {
    const [Loaded, setLoaded] = useState<P | undefined>(() => loaded);
    const [isLoading, setLoading] = useState(false);
    const [isClosed, setClosed] = useState(false);
    /** Whether the module was requested, and failed. */
    const tryAgain = async (): Promise<boolean> => {
      setLoading(true);
      try {
        const part = (await load()).default;
        loaded = part;
        setLoaded(() => part);
        return false;
      } catch (failure) {
        console.warn("part not loaded", failure);
        return !(failure instanceof NoConnection);
      } finally {
        setLoading(false);
      }
    };
    // A browser may remember that a module failed until the page is loaded again, and the file of a former release is
    // gone: when the server answers and the module still fails, only a reload brings it.
    const tryAgainOrReload = async () => {
      if ((await tryAgain()) && (await isServerAnswering())) reload();
    };
    // A later attempt may succeed.
    // biome-ignore lint/correctness/useExhaustiveDependencies: each time that it is shown
    useEffect(() => {
      const tryNow = () => {
        if (!loaded) void tryAgain();
      };
      if (props.isOpen !== false) {
        setClosed(false);
        tryNow();
      }
      window.addEventListener("online", tryNow);
      return () => window.removeEventListener("online", tryNow);
    }, [props.isOpen]);
    const Part: Part | undefined = Loaded;
    if (Part) return <Part {...props} />;
    // Who shows it may keep it closed.
    if (isHint || isClosed || props.isOpen === false) return null;
    // Who shows the part notices, and can show it again.
    const close = () => {
      setClosed(true);
      if (typeof props.onClose === "function") props.onClose();
    };
    return (
      <PartFailure
        isDialog={isDialog}
        isLoading={isLoading}
        onRetry={() => void tryAgainOrReload()}
        onReload={reload}
        onClose={isDialog ? close : undefined}
      />
    );
  };
}

interface PartFailureProps {
  isDialog: boolean;
  isLoading: boolean;
  onRetry: () => void;
  onReload: () => void;
  onClose?: () => void;
}

/** Closes the message that is shown over the page. */
let closeShown: (() => void) | undefined;

function PartFailure({ isDialog, isLoading, onRetry, onReload, onClose }: PartFailureProps) {
  const { t } = useTranslation();
  const isNewer = useIsNewRelease();
  const latestClose = useRef(onClose);
  latestClose.current = onClose;
  // One at a time: they have the same place.
  useEffect(() => {
    if (!isDialog) return;
    closeShown?.();
    const close = () => latestClose.current?.();
    closeShown = close;
    return () => {
      if (closeShown === close) closeShown = undefined;
    };
  }, [isDialog]);
  const message = (
    <section className="plain-card part-failure" data-floating={isDialog || undefined} role="alert">
      <h2>{t("loading.failed")}</h2>
      <p>{t(isNewer ? "loading.newRelease" : "loading.explanation")}</p>
      <div className="plain-actions">
        <button type="button" className="plain-button" aria-disabled={isLoading} onClick={onRetry}>
          {t("loading.retry")}
        </button>
        <button type="button" className="plain-button quiet" onClick={onReload}>
          {t("loading.reload")}
        </button>
        {onClose && (
          <button type="button" className="plain-button quiet" onClick={onClose}>
            {t("loading.close")}
          </button>
        )}
      </div>
    </section>
  );
  // Over the page, whatever the styles are of what it would stand in.
  return isDialog ? createPortal(message, document.body) : message;
}
