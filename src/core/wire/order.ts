import { z } from 'zod';
import { ordersOf } from '../order.ts';

/** The order that a list is asked for; the list's own when it is absent. What is none of its columns is refused. */
export const askedOrder = <const Names extends readonly string[]>(names: Names) =>
  z.enum(ordersOf(names)).optional();
