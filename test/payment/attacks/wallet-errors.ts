import { createUnreadableError } from "../../support/failure.ts";

/** An error by which a wallet ends a request: none of them proves that nothing was sent. */
export interface WalletError {
  name: string;
  /** What the wallet throws. */
  create(): unknown;
  /** Whether it says that the user rejected the request. */
  isRejection?: boolean;
}

const wallet = (fields: object, message = "the wallet failed"): Error => Object.assign(new Error(message), fields);
const ofCode = (code: number): WalletError => ({ name: String(code), create: () => wallet({ code }) });
const REVERT = `0x08c379a0${"20".padStart(64, "0")}${"4".padStart(64, "0")}${"6e6f7065".padEnd(64, "0")}`;

export const walletErrors: readonly WalletError[] = [
  ...[-32_600, -32_601, -32_602, -32_603, -32_000, -32_005, 4100, 4200, 4900, 5700].map(ofCode),
  { ...ofCode(4001), isRejection: true },
  { ...ofCode(5000), isRejection: true },
  { name: "ACTION_REJECTED", create: () => wallet({ code: "ACTION_REJECTED" }), isRejection: true },
  { name: "3 with revert data", create: () => wallet({ code: 3, data: REVERT }, "execution reverted: nope") },
  { name: "hex data without a code", create: () => wallet({ data: "0x08c379a0" }, "reverted") },
  {
    name: "4001 within -32603",
    create: () => wallet({ code: -32_603, data: { originalError: { code: 4001, message: "rejected" } } }),
    isRejection: true,
  },
  { name: "-32602 within one without a code", create: () => wallet({ cause: wallet({ code: -32_602 }) }) },
  { name: "no code", create: () => wallet({}, "lost connection") },
  { name: "a string", create: () => "lost" },
  { name: "what cannot be read", create: createUnreadableError },
];
