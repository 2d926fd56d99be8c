import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from "react";

const SHOWN_MS = 4_000;

const ToastContext = createContext<(text: string) => void>(() => undefined);

/** Short messages at the bottom that go by themselves, and are read aloud. */
export function Toasts({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly { id: number; text: string }[]>([]);
  const lastId = useRef(0);
  const add = useCallback((text: string) => {
    const id = ++lastId.current;
    setToasts((before) => [...before.slice(-2), { id, text }]);
    setTimeout(() => setToasts((before) => before.filter((toast) => toast.id !== id)), SHOWN_MS);
  }, []);
  return (
    <ToastContext.Provider value={add}>
      {children}
      <div className="toasts" role="status">
        {toasts.map(({ id, text }) => (
          <p key={id} className="toast">
            {text}
          </p>
        ))}
      </div>
    </ToastContext.Provider>
  );
}

/** Shows a short message. */
export function useToast(): (text: string) => void {
  return useContext(ToastContext);
}
