import type { UploadPayer } from "keeplight";
import { encryptedSize } from "keeplight/parts";
import { useCallback, useState } from "react";
import { formatBytes, formatUsdc } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { useSession } from "../session/session.ts";
import { useAskWallet } from "../session/wallet-gate.tsx";
import { canPay, createPayer, getUploadNetwork, loadPayPerUpload } from "../storage/upload-network.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { toSafeName } from "../ui/file-name.tsx";
import { useQuery } from "../ui/use-query.ts";
import type { Privacy } from "./uploads-provider.tsx";

interface PayForUploadProps {
  file: File;
  privacy: Privacy;
  /** Starts the upload, once its price is agreed to and the wallet is connected. */
  onPay: (payer: UploadPayer) => void;
}

/** A button that pays for one file by itself, outside of the account's plan. Nothing where nothing can be paid for. */
export function PayForUpload(props: PayForUploadProps) {
  const { uploads: text } = useMessages();
  const { network } = useSession();
  const [isAsking, setAsking] = useState(false);
  if (!canPay(network)) return null;
  return (
    <>
      <Button icon="wallet" onClick={() => setAsking(true)} aria-label={text.payForOf(toSafeName(props.file.name))}>
        {text.payFor}
      </Button>
      {isAsking && <PriceDialog {...props} onClose={() => setAsking(false)} />}
    </>
  );
}

/** Shows the price, and asks before the wallet does. */
function PriceDialog({ file, privacy, onPay, onClose }: PayForUploadProps & { onClose: () => void }) {
  const { uploads: text } = useMessages();
  const { network } = useSession();
  const { endpoints } = network;
  const askWallet = useAskWallet();
  // However often this dialog confirms, it is one order, which is paid once. A public file is named by its CID.
  const [orderId] = useState(() => (privacy === "encrypted" ? `web ${crypto.randomUUID()}` : undefined));
  const size = privacy === "encrypted" ? encryptedSize(file.size) : file.size;
  const load = useCallback(
    async (signal: AbortSignal) => (await loadPayPerUpload()).getUploadPrice(size, { endpoints, signal }),
    [size, endpoints],
  );
  const price = useQuery(load);
  const pay = async () => {
    if (price.status !== "ready") return;
    const { amount: maxAmount } = price.value;
    onClose();
    const own = await askWallet();
    if (own) onPay(await createPayer({ maxAmount, network: getUploadNetwork(network), orderId }, own.wallet.provider));
  };
  return (
    <ConfirmDialog
      kind="primary"
      title={text.payForTitle(toSafeName(file.name))}
      action={price.value ? text.payPrice(formatUsdc(price.value.amount)) : text.payFor}
      disabled={price.status !== "ready"}
      onConfirm={pay}
      onCancel={onClose}
    >
      <p aria-live="polite">
        {price.value
          ? text.payForPrice(formatUsdc(price.value.amount), formatBytes(size), price.value.days)
          : text.payForLoading}
      </p>
      <p className="quiet">{text.payForHint}</p>
      {price.status === "failed" && <ErrorNote error={price.error} retry={price.reload} />}
    </ConfirmDialog>
  );
}
