import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from "react";

const SHOWN_MS = 4_000;

const ToastContext = createContext<(text: string) => void>(() => undefined);

/**
 * A short message at the bottom that goes by itself, and is read aloud. The latest takes the place of the one before,
 * so that none moves under the eyes of who reads it.
 */
export function Toasts({ children }: { children: ReactNode }) {
  const [toast, setToast] = useState<{ id: number; text: string }>();
  const count = useRef(0);
  // Counted on when one has gone: by the same key, the next one would be the same box, and change its width.
  const show = useCallback((text: string) => setToast({ id: ++count.current, text }), []);
  useEffect(() => {
    if (!toast) return;
    const timer = setTimeout(() => setToast(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [toast]);
  return (
    <ToastContext.Provider value={show}>
      {children}
      <div className="toasts" role="status">
        {toast && (
          <p key={toast.id} className="toast">
            {toast.text}
          </p>
        )}
      </div>
    </ToastContext.Provider>
  );
}

/** Shows a short message. */
export function useToast(): (text: string) => void {
  return useContext(ToastContext);
}
