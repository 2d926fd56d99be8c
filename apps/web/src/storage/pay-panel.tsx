import { useUnfinished } from "@keeplight/react";
import { getPrice, isUnfinished, networks, type PaymentNetwork, type PaymentToken, type Price } from "keeplight";
import { type FormEvent, useCallback, useState } from "react";
import { formatAmount, formatBytes, formatDollars } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { useSession } from "../session/session.ts";
import { useAskWallet } from "../session/wallet-gate.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { SelectField } from "../ui/field.tsx";
import { SegmentedControl } from "../ui/segmented-control.tsx";
import { useOnline } from "../ui/use-online.ts";
import { useQuery } from "../ui/use-query.ts";
import { listPayableNetworks } from "./payable-networks.ts";
import { useAppPayment } from "./payment-provider.tsx";
import { PaymentTimeline } from "./payment-timeline.tsx";

const GIB = 1024 ** 3;
/** Sizes to buy, in GiB. */
const sizes = ["1", "10", "100", "1024"] as const;
type Size = (typeof sizes)[number];

/** Buys storage: a quote by size, network and token, then the payment with each of its steps. */
export function PayPanel() {
  const { pay: texts, uploads: text } = useMessages();
  const isOnline = useOnline();
  const { network: appNetwork, journal } = useSession();
  const askWallet = useAskWallet();
  const chains = listPayableNetworks(appNetwork);
  const [size, setSize] = useState<Size>("10");
  const [chosen, setChosen] = useState(chains[0]?.value ?? "");
  const [token, setToken] = useState<PaymentToken>("usdc");
  const network = (chains.find(({ value }) => value === chosen) ?? chains[0])?.network ?? networks.polygon;
  const tokens = listTokens(network);
  const paidWith = tokens.some(({ value }) => value === token) ? token : "native";
  const bytes = Number(size) * GIB;
  const { endpoints } = appNetwork;
  const load = useCallback(
    (signal: AbortSignal) => getPrice(bytes, { network, token: paidWith, endpoints, signal }),
    [bytes, network, paidWith, endpoints],
  );
  const quote = useQuery(load);
  const payment = useAppPayment();
  const { state } = payment;
  const busy = state.status === "running";
  // Something is signed already: it is looked up before anything else is paid.
  const isOpen = state.status === "aborted" || (state.status === "failed" && isUnfinished(state.error));
  const operations = useUnfinished().state.value;
  const isInterrupted =
    operations?.some(({ kind, state }) => kind === "payment" && !(state.status === "failed" && state.isOver)) ?? false;
  const [confirming, setConfirming] = useState<Price>();

  const ask = async (event: FormEvent) => {
    event.preventDefault();
    if (quote.status !== "ready") return;
    const price = quote.value;
    if (await askWallet()) setConfirming(price);
  };
  const pay = async ({ amount }: Price) => {
    setConfirming(undefined);
    const own = await askWallet();
    if (!own) return;
    await payment.pay({
      network,
      token: paidWith,
      amount,
      maxAmount: amount,
      signer: own.wallet.provider,
      ...appNetwork.polling,
    });
  };

  const retry = async () => {
    if (await askWallet()) await payment.retry();
  };

  return (
    <section className="card" aria-labelledby="pay-title">
      <h2 id="pay-title">{texts.title}</h2>
      <form className="pay-form" onSubmit={ask}>
        <fieldset disabled={busy || isOpen || isInterrupted || !operations} className="stack">
          <SegmentedControl
            label={texts.size}
            value={size}
            choices={sizes.map((value) => ({ value, label: formatBytes(Number(value) * GIB) }))}
            onChoose={setSize}
          />
          <div className="pay-pair">
            <SelectField
              label={texts.network}
              value={chosen}
              choices={chains.map(({ value, label }) => ({ value, label }))}
              onChoose={setChosen}
            />
            <SelectField label={texts.payWith} value={paidWith} choices={tokens} onChoose={setToken} />
          </div>
        </fieldset>
        <div className="quote" aria-live="polite" aria-busy={quote.status === "loading"}>
          {quote.value ? (
            <>
              <strong className="numbers">{formatPrice(quote.value, network)}</strong>
              <span className="quiet">{texts.price(formatDollars(Number(quote.value.usd)))}</span>
            </>
          ) : (
            <>
              <strong>{"\u00a0"}</strong>
              <span>{"\u00a0"}</span>
            </>
          )}
        </div>
        <div className="pay-actions">
          <Button
            kind="primary"
            type="submit"
            icon="wallet"
            busy={busy}
            disabled={isOpen || isInterrupted || !operations || !isOnline || quote.status !== "ready"}
          >
            {busy ? texts.paying : isOnline ? texts.pay : texts.offline}
          </Button>
          {busy && (
            <Button kind="quiet" onClick={payment.abort}>
              {texts.stopWaiting}
            </Button>
          )}
        </div>
      </form>
      {confirming && (
        <ConfirmDialog
          kind="primary"
          title={texts.confirmTitle(formatPrice(confirming, network))}
          action={texts.confirm}
          onConfirm={() => pay(confirming)}
          onCancel={() => setConfirming(undefined)}
        >
          <p>{texts.confirmHint(formatBytes(bytes), formatDollars(Number(confirming.usd)))}</p>
          {!journal && <p>{texts.noRecord}</p>}
        </ConfirmDialog>
      )}
      {quote.status === "failed" && (
        <ErrorNote error={quote.error}>
          <Button icon="retry" onClick={quote.reload}>
            {texts.refreshQuote}
          </Button>
        </ErrorNote>
      )}
      {state.status !== "idle" && state.status !== "aborted" && <PaymentTimeline state={state} token={payment.token} />}
      {isInterrupted && <p className="quiet">{text.paymentOpen}</p>}
      {state.status === "aborted" && (
        <div className="pay-stopped" role="status">
          <p>{text.paymentStopped}</p>
          <Button icon="retry" onClick={retry}>
            {text.continuePayment}
          </Button>
        </div>
      )}
      {state.status === "failed" && (
        <ErrorNote error={state.error}>
          <Button icon="retry" onClick={retry}>
            {isOpen ? texts.checkAgain : texts.payAgain}
          </Button>
        </ErrorNote>
      )}
    </section>
  );
}

function listTokens({ tokens, symbol }: PaymentNetwork): { value: PaymentToken; label: string }[] {
  const stable = (["usdc", "usdt", "dai"] as const).filter((name) => tokens[name]);
  return [...stable.map((value) => ({ value, label: value.toUpperCase() })), { value: "native", label: symbol }];
}

function formatPrice({ amount, decimals, token }: Price, { symbol }: PaymentNetwork): string {
  return `${formatAmount(amount, decimals)} ${token === "native" ? symbol : token.toUpperCase()}`;
}
