import { index, pgTable, smallint, text, unique } from 'drizzle-orm/pg-core';
import { identity, int8, now } from '../columns.ts';

/**
 * Applications that ask for a relay key. Whoever asks polls by one random text, whoever approves comes with the other;
 * only their hashes rest here. The key is sealed for its row from the approval until it was handed over.
 */
export const tokenRequests = pgTable(
  'token_requests',
  {
    id: identity(),
    poll_hash: text().notNull(),
    code_hash: text().notNull(),
    /** One of TOKEN_REQUEST. */
    state: smallint().notNull(),
    /** Six digits, which the application and the page show alike. */
    number: text().notNull(),
    /** As the application calls itself. */
    name: text().notNull(),
    ip: text().notNull(),
    user_agent: text().notNull(),
    /** Who decided, and for which token; 0 before. */
    user_id: int8().notNull().default(0),
    token_id: int8().notNull().default(0),
    key_sealed: text().notNull().default(''),
    created_at: int8().notNull().default(now),
    expires_at: int8().notNull(),
  },
  (t) => [
    unique('token_requests_poll').on(t.poll_hash),
    unique('token_requests_code').on(t.code_hash),
    index('token_requests_expiry').on(t.expires_at),
  ],
);
