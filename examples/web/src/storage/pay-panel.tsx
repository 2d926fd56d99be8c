import { getPrice, isUnfinished, networks, type PaymentNetwork, type PaymentToken, type Price } from "keeplight";
import { useUnfinished } from "keeplight/react";
import { type FormEvent, useCallback, useState } from "react";
import { useMessages } from "../messages/language.ts";
import { useSession } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { SelectField } from "../ui/field.tsx";
import { SegmentedControl } from "../ui/segmented-control.tsx";
import { useQuery } from "../ui/use-query.ts";
import { listPayableNetworks } from "./payable-networks.ts";
import { useAppPayment } from "./payment-provider.tsx";
import { PaymentTimeline } from "./payment-timeline.tsx";

const GIB = 1024 ** 3;
const sizes = [
  { value: "1", label: "1 GiB" },
  { value: "10", label: "10 GiB" },
  { value: "100", label: "100 GiB" },
  { value: "1024", label: "1 TiB" },
] as const;
type Size = (typeof sizes)[number]["value"];

/** Buys storage: a quote by size, network and token, then the payment with each of its steps. */
export function PayPanel() {
  const { uploads: text } = useMessages();
  const { network: appNetwork, provider } = useSession();
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
  const isInterrupted = useUnfinished().state.value?.some(({ kind }) => kind === "payment") ?? false;
  const [confirming, setConfirming] = useState<Price>();
  const sizeLabel = sizes.find(({ value }) => value === size)?.label;

  const ask = (event: FormEvent) => {
    event.preventDefault();
    if (quote.status === "ready") setConfirming(quote.value);
  };
  const pay = async ({ amount }: Price) => {
    setConfirming(undefined);
    await payment.pay({
      network,
      token: paidWith,
      amount,
      maxAmount: amount,
      signer: provider,
      ...appNetwork.polling,
    });
  };

  return (
    <section className="card" aria-labelledby="pay-title">
      <h2 id="pay-title">Buy storage</h2>
      <form className="pay-form" onSubmit={ask}>
        <fieldset disabled={busy || isOpen || isInterrupted} className="stack">
          <SegmentedControl label="Size" value={size} choices={sizes} onChoose={setSize} />
          <div className="pay-pair">
            <SelectField
              label="Network"
              value={chosen}
              choices={chains.map(({ value, label }) => ({ value, label }))}
              onChoose={setChosen}
            />
            <SelectField label="Pay with" value={paidWith} choices={tokens} onChoose={setToken} />
          </div>
        </fieldset>
        <div className="quote" aria-live="polite" aria-busy={quote.status === "loading"}>
          {quote.value ? (
            <>
              <strong className="numbers">{formatPrice(quote.value, network)}</strong>
              <span className="quiet">${quote.value.usd.toLocaleString()} one-time + network fee</span>
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
            disabled={isOpen || isInterrupted || quote.status !== "ready"}
          >
            {busy ? "Paying…" : "Pay"}
          </Button>
          {busy && (
            <Button kind="quiet" onClick={payment.abort}>
              Stop waiting
            </Button>
          )}
        </div>
      </form>
      {confirming && (
        <ConfirmDialog
          kind="primary"
          title={`Pay ${formatPrice(confirming, network)}?`}
          action="Pay now"
          onConfirm={() => pay(confirming)}
          onCancel={() => setConfirming(undefined)}
        >
          <p>
            {sizeLabel} of storage for ${confirming.usd.toLocaleString()}, paid once, plus the network fee. Your wallet
            asks you to approve each transaction.
          </p>
        </ConfirmDialog>
      )}
      {quote.status === "failed" && (
        <ErrorNote error={quote.error}>
          <Button icon="retry" onClick={quote.reload}>
            Refresh quote
          </Button>
        </ErrorNote>
      )}
      {state.status !== "idle" && state.status !== "aborted" && <PaymentTimeline state={state} />}
      {isInterrupted && <p className="quiet">{text.paymentOpen}</p>}
      {state.status === "aborted" && (
        <div className="pay-stopped" role="status">
          <p>{text.paymentStopped}</p>
          <Button icon="retry" onClick={payment.retry}>
            {text.continuePayment}
          </Button>
        </div>
      )}
      {state.status === "failed" && (
        <ErrorNote error={state.error}>
          <Button icon="retry" onClick={payment.retry}>
            {isOpen ? "Check again" : "Pay again"}
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
  const digits = String(amount).padStart(decimals + 1, "0");
  const fraction = digits.slice(-decimals).replace(/0+$/, "").slice(0, 8);
  const whole = BigInt(digits.slice(0, -decimals)).toLocaleString();
  return `${whole}${fraction ? `.${fraction}` : ""} ${token === "native" ? symbol : token.toUpperCase()}`;
}
