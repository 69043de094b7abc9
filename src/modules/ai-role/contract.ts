/** What the calls on a client's roles take and answer. */
import { z } from 'zod';
import { limits } from '../../core/limits.ts';
import { askedOrder } from '../../core/wire/order.ts';
import { wireText } from '../../core/wire/text.ts';
import { rowIds } from '../../core/wire/whole.ts';
import { AI_ROLE_ORDERS } from './facts.ts';

const NAME_LIMIT = 1_000;
const TYPE_LIMIT = 100;

/** Their rules refuse them, in the specification's words; the schema only says what they are. Absent and null stay as they are. */
export const roleBody = z.object({
  role_name: wireText(NAME_LIMIT).nullish(),
  /** JSON as text. */
  role: wireText(4 * limits.aiRoleBytes).nullish(),
  /** The client's own. */
  type: z.union([z.number(), wireText(TYPE_LIMIT)]).nullish(),
  quota: z.number().nullish(),
});
export type RoleBody = z.output<typeof roleBody>;

/** Newest first without one. */
export const listQuery = z.object({ sort: askedOrder(AI_ROLE_ORDERS) });
export type ListQuery = z.output<typeof listQuery>;

export const idsBody = z.object({ ids: rowIds });

export interface AiRole {
  id: number;
  role_name: string;
  /** JSON as text. */
  role: string;
  type: string | number;
  quota: number;
}
