import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from "react";

const SHOWN_MS = 4_000;
/** With a button, which has to be reached. */
const WITH_ACTION_MS = 10_000;

/** What a toast offers to do. */
interface ToastAction {
  label: string;
  run: () => void;
}

type ShowToast = (text: string, action?: ToastAction) => void;

/** How many actions of earlier toasts can still be run. */
const MAX_ACTIONS = 50;

/**
 * Runs what the latest toast with a button offered, even if another one has replaced it, then what the one before did; `false`
 * if none is left.
 */
type RunLatest = () => boolean;

const ToastContext = createContext<ShowToast>(() => undefined);
const LatestContext = createContext<RunLatest>(() => false);

/**
 * A short message that disappears by itself, and is announced by screen readers: at the top, where screens have no
 * controls. The latest replaces the previous one, so that none moves while it is being read.
 */
export function Toasts({ children }: { children: ReactNode }) {
  const [toast, setToast] = useState<{ id: number; text: string; action: ToastAction | undefined }>();
  const count = useRef(0);
  const actions = useRef<readonly ToastAction[]>([]);
  // Never reset: with the key of an earlier toast, the next one would reuse its element, and animate its width.
  const region = useRef<HTMLDivElement>(null);
  const show = useCallback<ShowToast>((text, action) => {
    // Shown again, it is above a dialog that was opened since.
    region.current?.hidePopover?.();
    region.current?.showPopover?.();
    if (action) actions.current = [...actions.current, action].slice(-MAX_ACTIONS);
    setToast({ id: ++count.current, text, action });
  }, []);
  const runLatest = useCallback<RunLatest>(() => {
    const action = actions.current.at(-1);
    if (!action) return false;
    actions.current = actions.current.slice(0, -1);
    setToast(undefined);
    action.run();
    return true;
  }, []);
  useEffect(() => {
    if (!toast) return;
    const timer = setTimeout(() => setToast(undefined), toast.action ? WITH_ACTION_MS : SHOWN_MS);
    return () => clearTimeout(timer);
  }, [toast]);
  return (
    <ToastContext.Provider value={show}>
      <LatestContext.Provider value={runLatest}>{children}</LatestContext.Provider>
      <div ref={region} popover="manual" className="toasts" role="status">
        {toast && (
          <p key={toast.id} className="toast">
            {toast.text}
            {toast.action && (
              <button
                type="button"
                className="toast-action"
                // While it is shown, it is the latest.
                onClick={runLatest}
              >
                {toast.action.label}
              </button>
            )}
          </p>
        )}
      </div>
    </ToastContext.Provider>
  );
}

/** Shows a short message. */
export function useToast(): ShowToast {
  return useContext(ToastContext);
}

/** Returns what does the same as the button of the latest toast that had one, also after that has disappeared. */
export function useLatestToastAction(): RunLatest {
  return useContext(LatestContext);
}
