/** What the calls on suppliers take and answer. */
import { z } from 'zod';
import { askedOrder } from '../../core/wire/order.ts';
import { wireText } from '../../core/wire/text.ts';
import { rowIds, typedWhole } from '../../core/wire/whole.ts';
import { SUPPLIER_ACTIONS, SUPPLIER_ORDERS } from './facts.ts';

const TEXT_LIMIT = 2_000;

/** Their rules refuse them, in the specification's words; the schema only says what they are. Absent and null stay as they are. */
export const supplierBody = z.object({
  name: wireText(TEXT_LIMIT).nullish(),
  base_url: wireText(TEXT_LIMIT).nullish(),
  /** A channel type that an address and a key are enough for. */
  type: typedWhole('integer').nullish(),
  /** `openai` or `claude`. */
  sdk: wireText(TEXT_LIMIT).nullish(),
  disable: z.boolean().nullish(),
  /** Of a channel's update the same. */
  private_allowed: z.boolean().nullish(),
});
export type SupplierBody = z.output<typeof supplierBody>;

/** In the order in which they were made without one. */
export const listQuery = z.object({ sort: askedOrder(SUPPLIER_ORDERS) });
export type ListQuery = z.output<typeof listQuery>;

export const manyBody = z.object({ ids: rowIds, action: z.enum(SUPPLIER_ACTIONS) });

/** As every user and the companion client see it. */
export interface Supplier {
  id: number;
  name: string;
  base_url: string;
  type: number;
  sdk: string;
}

/** As administrators see it. */
export interface SupplierItem extends Supplier {
  disable: boolean;
  /** Root lets its calls into the private network. */
  private_allowed: boolean;
  /** How many users have a key for it. */
  users: number;
}

/** A wire that an address of a supplier may speak. */
export interface SupplierType {
  type: number;
  label: string;
}
