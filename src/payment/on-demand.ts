// One module to load for prices and payments; a payment loads the rest once it is priced.

export { pollForCredit } from "./credit/poll-for-credit.ts";
export { fetchTicker } from "./fetch-ticker.ts";
export { continueOrders, placeOrder } from "./order.ts";
export { computePrice } from "./price.ts";
