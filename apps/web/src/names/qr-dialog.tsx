import { useCallback } from "react";
import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { useQuery } from "../ui/use-query.ts";

/** Shows a link as a QR code, for another device's camera. */
export function QrDialog({ title, link, onClose }: { title: string; link: string; onClose: () => void }) {
  const { names, ui } = useMessages();
  const load = useCallback(() => drawQr(link), [link]);
  const code = useQuery(load);
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="qr">
        {code.value && (
          <svg viewBox={`0 0 ${code.value.size} ${code.value.size}`} role="img" aria-label={names.qrOf(link)}>
            <path d={code.value.path} />
          </svg>
        )}
        {code.status === "failed" && <ErrorNote error={code.error} />}
      </div>
      <p className="qr-link mono">{link}</p>
      <div className="dialog-actions">
        <CopyButton text={link} what={names.linkOfName} label={names.copyLink} />
        <Button kind="primary" onClick={onClose}>
          {ui.close}
        </Button>
      </div>
    </Dialog>
  );
}

/** Draws the dark squares as one path. The light border is as wide as readers require. */
async function drawQr(text: string): Promise<{ size: number; path: string }> {
  const { encodeQR } = await import("qr");
  const rows = encodeQR(text, "raw", { ecc: "medium", border: 4 });
  const squares = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return { size: rows.length, path: squares.join("") };
}
