import type { PaymentOrder, PaymentReceipt } from "keeplight";
import type { Pool } from "pg";

/** What the shop knows of an order. Several servers may share the database: nothing else keeps any state. */
export interface ShopOrder {
  /** Returned by `createOrder`. */
  order: PaymentOrder;
  item: string;
  receipt: PaymentReceipt | null;
  isDelivered: boolean;
}

const TABLES = `
  create table if not exists orders (
    id text primary key,
    item text not null,
    terms jsonb not null
  );
  create table if not exists payments (
    -- The receipt's: a payment is credited once.
    id text primary key,
    -- An order is paid once.
    order_id text not null unique references orders,
    receipt jsonb not null,
    is_delivered boolean not null default false
  );`;

const SELECT = `
  select terms as "order", item, receipt, coalesce(is_delivered, false) as "isDelivered"
  from orders left join payments on order_id = orders.id`;

/** Opens the shop's tables, and creates them if need be. */
export async function openLedger(database: Pool) {
  // A connection that breaks while nobody uses it would end the process: pg throws what nobody listens to.
  database.on("error", ({ message }) => console.error(`the database ended a connection: ${message}`));
  // Two servers that start at once would both create them.
  await database.query(`begin; select pg_advisory_xact_lock(28); ${TABLES} commit;`);
  return {
    async add(order: PaymentOrder, item: string): Promise<void> {
      await database.query("insert into orders values ($1, $2, $3)", [order.orderId, item, order]);
    },
    async find(orderId: string): Promise<ShopOrder | undefined> {
      return (await database.query<ShopOrder>(`${SELECT} where orders.id = $1`, [orderId])).rows[0];
    },
    /** Lists the orders that are paid and not delivered. */
    async listPaid(): Promise<ShopOrder[]> {
      return (await database.query<ShopOrder>(`${SELECT} where not is_delivered`)).rows;
    },
    /** Credits a payment, unless it was credited before, or another one was credited to the order. */
    async credit(orderId: string, receipt: PaymentReceipt): Promise<void> {
      const values = [receipt.id, orderId, receipt];
      await database.query("insert into payments values ($1, $2, $3) on conflict do nothing", values);
    },
    /** Takes back the credit of a payment that is no longer on the chain, unless its order was delivered. */
    async takeBack({ id }: PaymentReceipt): Promise<void> {
      await database.query("delete from payments where id = $1 and not is_delivered", [id]);
    },
    /** Returns whether the caller is the one who has to deliver. */
    async markDelivered({ id }: PaymentReceipt): Promise<boolean> {
      const update = "update payments set is_delivered = true where id = $1 and not is_delivered";
      return (await database.query(update, [id])).rowCount === 1;
    },
  };
}
