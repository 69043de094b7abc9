/** Applications that sign in here, what users let them do, and the codes and tokens by which they do it. */
import { sql } from 'drizzle-orm';
import { boolean, check, index, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core';
import { identity, int8, now } from '../columns.ts';
import { users } from './user.ts';

/** Registered by root. `client_id` is public; of its secret only the hash is kept, and a public application has none. */
export const oauthApps = pgTable(
  'oauth_apps',
  {
    id: identity(),
    client_id: text().notNull(),
    secret_hash: text(),
    name: text().notNull(),
    homepage: text().notNull().default(''),
    redirect_uris: text().array().notNull(),
    /** The most that it may ask for. */
    scopes: text().array().notNull(),
    enabled: boolean().notNull().default(true),
    created_by: int8().notNull(),
    created_at: int8().notNull().default(now),
  },
  (t) => [unique('oauth_apps_client').on(t.client_id)],
);

/** What a user has agreed that an application may do; asked for once. Where it is gone, none of its sign-ins works. */
export const oauthConsents = pgTable(
  'oauth_consents',
  {
    user_id: int8()
      .notNull()
      .references(() => users.id),
    app_id: int8()
      .notNull()
      .references(() => oauthApps.id, { onDelete: 'cascade' }),
    /** What each page told of that he agreed to: its scopes, parted by blanks. */
    scopes: text().array().notNull(),
    created_at: int8().notNull().default(now),
    updated_at: int8().notNull().default(now),
    /** When the application last did something for him, to the minute; 0 for never. */
    used_at: int8().notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.app_id] }), index('oauth_consents_app').on(t.app_id)],
);

/**
 * A sign-in of a user at an application: its code, and all tokens that ever came of it. Deleting the row ends all of them,
 * also those that are just being made: they refer to it.
 */
export const oauthGrants = pgTable(
  'oauth_grants',
  {
    id: uuid().primaryKey(),
    app_id: int8()
      .notNull()
      .references(() => oauthApps.id, { onDelete: 'cascade' }),
    user_id: int8()
      .notNull()
      .references(() => users.id),
    scopes: text().array().notNull(),
    created_at: int8().notNull().default(now),
    /** After it nothing of the grant works any more; put off with each rotation. */
    expires_at: int8().notNull(),
  },
  (t) => [
    index('oauth_grants_app').on(t.app_id),
    index('oauth_grants_user').on(t.user_id),
    index('oauth_grants_expiry').on(t.expires_at),
  ],
);

/**
 * The console in a frame of an application: a user's session there, by the SHA-256 of the random id that his browser has.
 * It goes with the sign-in at the application by which it was begun.
 */
export const embedSessions = pgTable(
  'embed_sessions',
  {
    id: text().primaryKey(),
    grant_id: uuid()
      .notNull()
      .references(() => oauthGrants.id, { onDelete: 'cascade' }),
    /** The page around the frame: nobody else's may frame what is shown in this session. */
    origin: text().notNull(),
    expires_at: int8().notNull(),
  },
  (t) => [index('embed_sessions_grant').on(t.grant_id), index('embed_sessions_expiry').on(t.expires_at)],
);

/** Codes and tokens by the SHA-256 of what was handed out. A used one stays, so that its second use is known. */
export const oauthTokens = pgTable(
  'oauth_tokens',
  {
    hash: text().primaryKey(),
    grant_id: uuid()
      .notNull()
      .references(() => oauthGrants.id, { onDelete: 'cascade' }),
    /** code, refresh or access. */
    kind: text().notNull(),
    expires_at: int8().notNull(),
    used_at: int8(),
    /** Of an access token. */
    scopes: text().array().notNull().default([]),
    /** Of a code: where it was sent, the S256 challenge it was asked for with, and what its id token repeats. */
    redirect_uri: text().notNull().default(''),
    challenge: text().notNull().default(''),
    nonce: text().notNull().default(''),
  },
  (t) => [
    index('oauth_tokens_grant').on(t.grant_id),
    check('oauth_tokens_kind', sql`${t.kind} in ('code', 'refresh', 'access')`),
  ],
);
