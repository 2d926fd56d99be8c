/** A stable coin in US dollars that storage is paid with. */
export type StableToken = "usdc" | "usdt" | "dai";

/** What storage is paid with: a stable coin, or the chain's own. */
export type PaymentToken = "native" | StableToken;

/** A token on one chain. */
export interface TokenContract {
  /** Of its contract. */
  address: string;
  /** How many digits of an amount are behind the point. */
  decimals: number;
  /** What it is called, if its name here could also mean another token of the chain: `USDC.e` is not Circle's USDC. */
  label?: string | undefined;
}

/** A chain on which payments are accepted. */
export interface PaymentNetwork {
  /** Of the chain's own coin, as the price service knows it. */
  symbol: string;
  /** Of the chain's own coin. */
  decimals: number;
  /** URL of a JSON-RPC service. */
  rpc: string;
  /**
   * URLs of further services of the same chain: used if `rpc` fails, and also sent every transaction. Those of `networks`
   * are ignored in a row with another `rpc`, which may be a fork's.
   */
  moreRpcs?: readonly string[] | undefined;
  /** How many blocks confirm a payment, its own included, unless an option changes it. Default 1. */
  confirmations?: number | undefined;
  /** How many blocks back payments search for an order that nothing is known of. Default 10,000. */
  searchBlocks?: number | undefined;
  /** Prefix of a transaction's hash in a link to an explorer; may be empty. */
  scan: string;
  /** As in EIP-155. */
  chain_id: number;
  /** Address of the payment contract. */
  contract: string;
  /** The tokens that the payment contract accepts. */
  tokens: Readonly<Partial<Record<StableToken, TokenContract>>>;
  /** Whether it is a chain of the OP Stack (Optimism, Base), whose transactions pay for Ethereum too. Default `false`. */
  opStack?: boolean | undefined;
  /** Whether the chain has been shut down: payments that name it are refused. Default `false`. */
  retired?: boolean | undefined;
  /**
   * The lowest and the highest plausible price of a coin for years from `asOf` on, in US dollars. A payment at any other
   * price is refused, unless it has a `maxAmount`.
   */
  priceBand?:
    | {
        /** The lowest plausible price of one coin. */
        low: number;
        /** The highest plausible price of one coin. */
        high: number;
        /** The month in which it was chosen, such as `2026-11`. */
        asOf: string;
      }
    | undefined;
  /** Address of a Chainlink feed of the coin's price in US dollars, which the price service is compared with. */
  priceFeed?: string | undefined;
  /** URL of a page that gives away coins of a testnet. */
  faucet?: string | undefined;
}

/**
 * The chains of the public network. To use another RPC service or another contract, spread a row:
 * `{ ...networks.polygon, rpc: "https://…" }`. Payments on a `retired` one are refused.
 */
export const networks = {
  fantom: {
    symbol: "FTM",
    decimals: 18,
    rpc: "https://rpc.ftm.tools/",
    moreRpcs: ["https://rpcapi.fantom.network", "https://fantom.drpc.org"],
    scan: "https://ftmscan.com/tx/",
    chain_id: 250,
    contract: "0xf468602B34C482f34ca498D9a0DE7957539961d3",
    tokens: {
      dai: { address: "0x8D11eC38a3EB5E956B052f67Da8Bdc9bef8Abf3E", decimals: 18, label: "DAI (Multichain)" },
      usdc: { address: "0x04068DA6C83AFCFA0e13ba15A6696662335D5B75", decimals: 6, label: "USDC (Multichain)" },
      usdt: { address: "0x049d68029688eAbF473097a2fC38ef61633A3C7A", decimals: 6, label: "fUSDT (Multichain)" },
    },
    priceBand: { low: 0.02, high: 5, asOf: "2026-11" },
  },
  polygon: {
    symbol: "MATIC",
    decimals: 18,
    rpc: "https://polygon-rpc.com",
    moreRpcs: ["https://polygon-bor-rpc.publicnode.com", "https://polygon.drpc.org"],
    scan: "https://polygonscan.com/tx/",
    chain_id: 137,
    confirmations: 12,
    contract: "0xaD13C488b01DbcE976B67e552Bd352e824E53E1D",
    tokens: {
      dai: { address: "0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063", decimals: 18 },
      usdc: { address: "0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174", decimals: 6, label: "USDC.e" },
      usdt: { address: "0xc2132D05D31c914a87C6611C10748AEb04B58e8F", decimals: 6 },
    },
    priceBand: { low: 0.02, high: 5, asOf: "2026-11" },
    priceFeed: "0xAB594600376Ec9fD91F8e885dADF0CE036862dE0",
  },
  binance: {
    symbol: "BNB",
    decimals: 18,
    rpc: "https://bsc-dataseed.binance.org/",
    moreRpcs: ["https://bsc-dataseed1.bnbchain.org", "https://bsc-rpc.publicnode.com"],
    scan: "https://bscscan.com/tx/",
    chain_id: 56,
    confirmations: 3,
    contract: "0x340ff23c060626644e55fc10298c5e995b1f41c1",
    tokens: {
      dai: { address: "0x1dC56F2705Ff2983f31fb5964CC3E19749A7CBA7", decimals: 18 },
      usdc: { address: "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d", decimals: 18 },
      usdt: { address: "0x55d398326f99059fF775485246999027B3197955", decimals: 18 },
    },
    priceBand: { low: 60, high: 6_000, asOf: "2026-11" },
    priceFeed: "0x0567F2323251f0Aab15c8dFb1967E4e8A7D42aeE",
  },
  optimism: {
    symbol: "ETH",
    decimals: 18,
    rpc: "https://mainnet.optimism.io",
    moreRpcs: ["https://optimism-rpc.publicnode.com", "https://optimism.drpc.org"],
    scan: "https://optimistic.etherscan.io/tx/",
    chain_id: 10,
    contract: "0x61e296fdc8c498ed183a2d19fd5927736e46e3b6",
    tokens: {
      dai: { address: "0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1", decimals: 18 },
      usdc: { address: "0x7F5c764cBc14f9669B88837ca1490cCa17c31607", decimals: 6, label: "USDC.e" },
      usdt: { address: "0x94b008aA00579c1307B0EF2c499aD98a8ce58e58", decimals: 6 },
    },
    opStack: true,
    priceBand: { low: 300, high: 30_000, asOf: "2026-11" },
    priceFeed: "0x13e3Ee699D1909E989722E753853AE30b17e08c5",
  },
  filecoin: {
    symbol: "FIL",
    decimals: 18,
    rpc: "https://api.node.glif.io",
    moreRpcs: ["https://filecoin.chainup.net/rpc/v1", "https://filecoin.drpc.org"],
    scan: "https://filfox.info/en/message/",
    chain_id: 314,
    confirmations: 3,
    contract: "0x1ed0f8B8736c7835a1ee54D791cda7ADA3cd5e94",
    tokens: { usdc: { address: "0xEB466342C4d449BC9f53A865D5Cb90586f405215", decimals: 6, label: "axlUSDC" } },
    priceBand: { low: 0.1, high: 50, asOf: "2026-11" },
  },
  calibration: {
    symbol: "FIL",
    decimals: 18,
    rpc: "https://api.calibration.node.glif.io/rpc/v1",
    moreRpcs: ["https://filecoin-calibration.drpc.org"],
    scan: "https://calibration.filfox.info/en/message/",
    chain_id: 314_159,
    confirmations: 3,
    contract: "0x808a85bbFD82369A3B0c6eFFd4Be1d475F05a6a0",
    tokens: { usdt: { address: "0xA471B7936906fF810865e52AF86C12B9865C850A", decimals: 18 } },
    faucet: "https://faucet.calibnet.chainsafe-fil.io/funds.html",
  },
  "fantom-testnet": {
    symbol: "FTM",
    decimals: 18,
    rpc: "https://rpc.testnet.fantom.network/",
    scan: "https://testnet.ftmscan.com/tx/",
    chain_id: 4002,
    contract: "0xa02d3813b7334057dDbDa6Fe559b90280078bAD9",
    tokens: {},
    faucet: "https://faucet.fantom.network",
  },
  "polygon-testnet": {
    symbol: "MATIC",
    decimals: 18,
    rpc: "https://rpc-mumbai.maticvigil.com/",
    scan: "https://mumbai.polygonscan.com/tx/",
    chain_id: 80_001,
    contract: "0x90c5ab8d2418a3855dBAFd8131bf0274f6Ea431F",
    tokens: { usdc: { address: "0x742DfA5Aa70a8212857966D491D67B09Ce7D6ec7", decimals: 6 } },
    retired: true,
  },
  "binance-testnet": {
    symbol: "BNB",
    decimals: 18,
    rpc: "https://data-seed-prebsc-1-s1.binance.org:8545/",
    moreRpcs: ["https://bsc-testnet-rpc.publicnode.com"],
    scan: "https://testnet.bscscan.com/tx/",
    chain_id: 97,
    confirmations: 3,
    contract: "0x53f4a7d35AcDc5024587c5fA1E3bEcC6233888E9",
    tokens: {},
    faucet: "https://www.bnbchain.org/en/testnet-faucet",
  },
  "optimism-testnet": {
    symbol: "ETH",
    decimals: 18,
    rpc: "https://kovan.optimism.io/",
    scan: "https://kovan-optimistic.etherscan.io/tx/",
    chain_id: 69,
    contract: "0x61e296fdc8c498ed183a2d19fd5927736e46e3b6",
    tokens: {},
    opStack: true,
    retired: true,
  },
  "wallaby-testnet": {
    symbol: "tFIL",
    decimals: 18,
    rpc: "https://wallaby.node.glif.io/rpc/v0",
    scan: "https://explorer.glif.io/",
    chain_id: 31_415,
    contract: "0x3C89b0a447A30b785CaF97791C9f9F60F7069C05",
    tokens: {},
    retired: true,
  },
} as const satisfies Readonly<Record<string, PaymentNetwork>>;

/** Name of a chain of {@link networks}. */
export type NetworkName = keyof typeof networks;

/** The chain to use if none is named. */
export const DEFAULT_NETWORK = "polygon" satisfies NetworkName;
