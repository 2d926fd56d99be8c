import { type UsePayment, usePayment } from "@keeplight/react";
import type { PaymentToken } from "keeplight";
import { createContext, type ReactNode, useContext, useState } from "react";

/** The account's payment. */
interface AppPayment extends UsePayment {
  /** What the latest payment pays with. */
  token: PaymentToken | undefined;
}

const PaymentContext = createContext<AppPayment | undefined>(undefined);

/** The account's payment, which continues when the user switches screens. */
export function PaymentProvider({ children }: { children: ReactNode }) {
  const payment = usePayment();
  const [token, setToken] = useState<PaymentToken>();
  const pay: UsePayment["pay"] = (options) => {
    setToken(options.token);
    return payment.pay(options);
  };
  return <PaymentContext.Provider value={{ ...payment, pay, token }}>{children}</PaymentContext.Provider>;
}

export function useAppPayment(): AppPayment {
  const payment = useContext(PaymentContext);
  if (!payment) throw new Error("useAppPayment works inside <PaymentProvider> only");
  return payment;
}
