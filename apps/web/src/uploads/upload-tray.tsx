import { type UploadEntry, useUnfinished } from "@keeplight/react";
import { useCallback, useEffect, useRef, useState } from "react";
import { formatBytes, formatPercent } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { useIsOffered } from "../session/offered-changes.ts";
import { useIsSigning, useSession, useWalletName } from "../session/session.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { ProgressBar } from "../ui/progress-bar.tsx";
import { countInterrupted, Interrupted } from "./interrupted.tsx";
import { countNodes, hasUnsavedKeys, isRetryable, sortEntries } from "./tray-entries.ts";
import { UploadResults } from "./upload-results.tsx";
import { UploadRow } from "./upload-row.tsx";
import { useAppUploads } from "./uploads-provider.tsx";
import { usePanelPlace } from "./use-panel-place.ts";
import { useRate } from "./use-rate.ts";
import { listNames, useUploadLists } from "./use-upload-lists.ts";

/** How many rows are rendered: those that failed, those that run, then the next ones. */
const MAX_ROWS = 60;

/**
 * The uploads, and what was interrupted: a panel at the bottom right of a wide window, or in its rail where the panel
 * would cover fields; above the bottom bar of a narrow one, and below the list there once all is complete.
 */
export function UploadTray() {
  const { uploads: text } = useMessages();
  const calls = useAppUploads();
  const lists = useUploadLists();
  const all = listNames.map((name) => lists[name]);
  const { journal } = useSession();
  const walletName = useWalletName();
  const isSigning = useIsSigning();
  const isOffered = useIsOffered();
  const interrupted = (useUnfinished().state.value ?? []).filter((operation) => !isOffered(operation));
  const [clearing, setClearing] = useState<{ id?: string }>();
  const sum = (count: (list: (typeof all)[number]) => number) => all.reduce((total, list) => total + count(list), 0);
  const items = sum(({ uploads }) => uploads.length);
  const size = sum(({ total }) => total.size);
  const done = sum(({ total }) => total.count.done);
  const failed = sum(({ total }) => total.count.failed);
  const aborted = sum(({ total }) => total.count.aborted);
  const active = all.some(({ total }) => total.active);
  const fraction =
    size === 0 ? (items === 0 ? 0 : done / items) : sum(({ total }) => total.fraction * total.size) / size;
  const unrepaired = sum(({ uploads }) => uploads.filter((entry) => countNodes(entry) !== undefined).length);
  // Their links and receipts are nowhere else.
  const paid = sum(
    ({ uploads }) => uploads.filter(({ state }) => state.status === "done" && state.files[0].receipt).length,
  );
  const rate = useRate(fraction, size, active);
  const { expanded, setExpanded, hasSucceeded } = useTrayFold({
    active,
    failed: failed + aborted + unrepaired + paid,
    done,
    interrupted: interrupted.length,
    items,
  });
  const clearNow = useCallback(
    (id?: string) => {
      setClearing(undefined);
      for (const name of listNames) calls.lists[name].clear(id);
    },
    [calls],
  );
  // Of the same identity at each progress: a row renders at its own changes only.
  const clearOne = useCallback(
    ({ id, state }: UploadEntry) => (hasUnsavedKeys(state) ? setClearing({ id }) : clearNow(id)),
    [clearNow],
  );
  const panel = useRef<HTMLElement>(null);
  const isEmpty = items === 0 && interrupted.length === 0;
  const place = usePanelPlace(panel, !isEmpty);
  if (isEmpty) return null;

  const retryable = sum(({ uploads }) => uploads.filter(isRetryable).length);
  const retryAll = () => {
    for (const name of listNames) {
      calls.lists[name].retry(lists[name].uploads.filter(isRetryable).map(({ id }) => id));
    }
  };
  const abortAll = () => {
    for (const name of listNames) calls.lists[name].abort();
  };
  const clear = () => {
    if (all.some(({ uploads }) => uploads.some(({ state }) => hasUnsavedKeys(state)))) setClearing({});
    else clearNow();
  };
  const title = active
    ? text.uploading(items - done - failed - aborted)
    : failed > 0
      ? text.failed(failed)
      : done > 0
        ? text.complete(done)
        : items > 0
          ? text.cancelled(items)
          : text.interrupted(countInterrupted(interrupted));
  const entries = expanded ? sortEntries(lists) : [];
  return (
    <section
      ref={panel}
      className={`tray${place.isOver ? " tray-over" : ""}${hasSucceeded ? " tray-complete" : ""}`}
      style={place.isOver ? { maxHeight: place.maxHeight } : undefined}
      aria-labelledby="tray-title"
    >
      <header className="tray-head">
        <h2 id="tray-title">{title}</h2>
        <IconButton
          icon={expanded ? "fold" : "unfold"}
          label={expanded ? text.collapse : text.expand}
          aria-expanded={expanded}
          onClick={() => setExpanded(!expanded)}
        />
      </header>
      {items > 0 && (
        <>
          {active && (
            <>
              {failed > 0 && <p className="tray-failed">{text.failed(failed)}</p>}
              <ProgressBar fraction={fraction} label={text.all} />
              <p className="quiet numbers tray-summary">
                {isSigning
                  ? text.confirm(walletName)
                  : (rate ?? text.ofSize(formatPercent(fraction), formatBytes(size)))}
              </p>
            </>
          )}
          <div className="tray-actions">
            {retryable > 1 && (
              <Button kind="quiet" icon="retry" onClick={retryAll}>
                {text.retryAll}
              </Button>
            )}
            <Button kind="quiet" onClick={() => (active ? abortAll() : clear())}>
              {active ? text.cancelAll : text.clear}
            </Button>
          </div>
        </>
      )}
      {expanded && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
        <section className="tray-body" tabIndex={0} aria-label={text.list}>
          {interrupted.length > 0 && <Interrupted operations={interrupted} hasTitle={items > 0} />}
          {!journal && active && <p className="quiet tray-note">{text.noJournal}</p>}
          {entries.length > 0 && (
            <ul aria-label={text.list}>
              {entries.slice(0, MAX_ROWS).map(({ entry, list }) => (
                <UploadRow key={`${list} ${entry.id}`} entry={entry} list={list} onClear={clearOne} />
              ))}
            </ul>
          )}
          {entries.length > MAX_ROWS && <p className="quiet tray-note">{text.more(entries.length - MAX_ROWS)}</p>}
        </section>
      )}
      <UploadResults active={active} done={done} failed={failed} />
      {clearing && (
        <ConfirmDialog
          title={text.clearTitle}
          action={text.clear}
          onConfirm={() => clearNow(clearing.id)}
          onCancel={() => setClearing(undefined)}
        >
          <p>{text.clearBody}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

/** Whether the rows are shown: until everything has succeeded, and again when there is something new. */
function useTrayFold(state: { active: boolean; failed: number; done: number; interrupted: number; items: number }) {
  const [expanded, setExpanded] = useState(() => matchMedia("(min-width: 56rem)").matches);
  const { active, failed, done, interrupted, items } = state;
  const hasSucceeded = !active && failed === 0 && done > 0 && interrupted === 0;
  useEffect(() => {
    if (hasSucceeded) setExpanded(false);
  }, [hasSucceeded]);
  const isNew = items > 0 && !hasSucceeded;
  useEffect(() => {
    if (isNew) setExpanded(matchMedia("(min-width: 56rem)").matches);
  }, [isNew]);
  return { expanded, setExpanded, hasSucceeded };
}
