import { formatAge, formatTime } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { useNow } from "./use-now.ts";

/** How long ago something was; the exact time is its title. */
export function Age({ ms }: { ms: number }) {
  const { ui } = useMessages();
  const now = useNow();
  return (
    <time dateTime={new Date(ms).toISOString()} title={formatTime(ms)}>
      {formatAge(ms, now) ?? ui.justNow}
    </time>
  );
}
