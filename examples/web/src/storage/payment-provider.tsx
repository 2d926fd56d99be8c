import { type UsePayment, usePayment } from "keeplight/react";
import { createContext, type ReactNode, useContext, useEffect } from "react";
import { useAccountData } from "../session/account-data.tsx";

const PaymentContext = createContext<UsePayment | undefined>(undefined);

/** The account's payment, which continues when the user switches screens. */
export function PaymentProvider({ children }: { children: ReactNode }) {
  const payment = usePayment();
  const { status } = payment.state;
  const { reload } = useAccountData().balance;

  useEffect(() => {
    if (status === "done") void reload();
  }, [status, reload]);

  return <PaymentContext.Provider value={payment}>{children}</PaymentContext.Provider>;
}

export function useAppPayment(): UsePayment {
  const payment = useContext(PaymentContext);
  if (!payment) throw new Error("useAppPayment works inside <PaymentProvider> only");
  return payment;
}
