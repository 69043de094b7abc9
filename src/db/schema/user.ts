import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  index,
  pgTable,
  primaryKey,
  smallint,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { JsonObject } from '../../core/json.ts';
import { identity, int8, json, now } from '../columns.ts';

/**
 * `quota` is what can be spent, `reserved` what open reservations hold; the API's `quota` is their sum. Rewards that wait
 * for their transfer stand beside it in `aff_quota` and `activity_quota`, and all that there ever were in their
 * histories. Only `src/billing` writes the money columns.
 */
export const users = pgTable(
  'users',
  {
    id: identity(),
    username: text().notNull(),
    password_hash: text(),
    display_name: text().notNull().default(''),
    role: smallint().notNull().default(1),
    status: smallint().notNull().default(1),
    email: text().notNull().default(''),
    phone: text().notNull().default(''),
    group_name: text().notNull().default('default'),
    remarks: text().notNull().default(''),
    language: text().notNull().default(''),
    quota: int8().notNull().default(0),
    reserved: int8().notNull().default(0),
    used_quota: int8().notNull().default(0),
    request_count: int8().notNull().default(0),
    aff_code: text().notNull(),
    aff_count: int8().notNull().default(0),
    aff_quota: int8().notNull().default(0),
    aff_history_quota: int8().notNull().default(0),
    inviter_id: int8().notNull().default(0),
    activity_quota: int8().notNull().default(0),
    activity_history_quota: int8().notNull().default(0),
    setting: json<JsonObject>().notNull().default({}),
    created_at: int8().notNull().default(now),
    login_at: int8().notNull().default(0),
    login_ip: text().notNull().default(''),
    deleted_at: int8(),
    /** Since then nothing says who he was; what was settled later is told of his pseudonym too. */
    erased_at: int8(),
    /** Sold models of which he has rows in `usage_months`, now or before: what he uses of them is added there. Null for none. */
    month_models: text().array(),
  },
  (t) => [
    // Names stay taken after an account is cancelled, and differ by more than case.
    uniqueIndex('users_username').on(sql`lower(${t.username})`),
    uniqueIndex('users_aff_code').on(t.aff_code),
    uniqueIndex('users_email')
      .on(sql`lower(${t.email})`)
      .where(sql`${t.email} <> '' and ${t.deleted_at} is null`),
    uniqueIndex('users_phone').on(t.phone).where(sql`${t.phone} <> '' and ${t.deleted_at} is null`),
    index('users_inviter').on(t.inviter_id, t.id.desc()).where(sql`${t.inviter_id} > 0`),
    // There is one root, made by the set-up; two racing set-ups cannot make two.
    uniqueIndex('users_one_root').on(t.role).where(sql`${t.role} = 100`),
    check('users_quota', sql`${t.quota} between 0 and 9007199254740991`),
    check('users_reserved', sql`${t.reserved} between 0 and 9007199254740991`),
    check('users_used', sql`${t.used_quota} between 0 and 9007199254740991`),
    check('users_aff_quota', sql`${t.aff_quota} between 0 and 9007199254740991`),
    check('users_activity_quota', sql`${t.activity_quota} between 0 and 9007199254740991`),
  ],
);

/**
 * A third party's account of a user, by the immutable subject that the provider gives. What was bound when the account was
 * recovered is paused: it lets nobody in until its owner keeps it, or binds it again.
 */
export const identities = pgTable(
  'identities',
  {
    id: identity(),
    user_id: int8()
      .notNull()
      .references(() => users.id),
    provider: text().notNull(),
    /** Whose word the subject is, where the operator says who that is; empty where there is one of the provider. */
    issuer: text().notNull().default(''),
    subject: text().notNull(),
    login_name: text().notNull().default(''),
    created_at: int8().notNull().default(now),
    paused: boolean().notNull().default(false),
  },
  (t) => [
    unique('identities_subject').on(t.provider, t.issuer, t.subject),
    unique('identities_user').on(t.user_id, t.provider),
  ],
);

/** When a user was last warned of his low balance, and whether he has been below his threshold ever since. */
export const quotaWarnings = pgTable('quota_warnings', {
  // No reference: it would lock the user's row, for which the money statements wait.
  user_id: int8().primaryKey(),
  warned_at: int8().notNull(),
  is_below: boolean().notNull(),
});

/** Console sessions; `id` is the SHA-256 of the random value in the cookie. */
export const sessions = pgTable(
  'sessions',
  {
    id: text().primaryKey(),
    user_id: int8()
      .notNull()
      .references(() => users.id),
    created_at: int8().notNull().default(now),
    seen_at: int8().notNull().default(now),
    /** When the password was last typed in this session; changing it again needs it fresh. */
    confirmed_at: int8().notNull().default(now),
    ip: text().notNull().default(''),
    user_agent: text().notNull().default(''),
    /** One of his passkeys was proved in it. */
    with_passkey: boolean().notNull().default(false),
  },
  (t) => [index('sessions_user').on(t.user_id)],
);

/** Management access tokens for `/api`, by hash; shown once when made. One a user. */
export const accessTokens = pgTable(
  'access_tokens',
  {
    id: identity(),
    user_id: int8()
      .notNull()
      .references(() => users.id),
    hash: text().notNull(),
    created_at: int8().notNull().default(now),
    used_at: int8().notNull().default(0),
  },
  (t) => [unique('access_tokens_hash').on(t.hash), unique('access_tokens_user').on(t.user_id)],
);

/**
 * Who asks for a code besides the password. The secret is sealed for its user; a set-up that was not finished has no
 * `enabled_at`. A code of the step in `last_step`, or of an earlier one, was used already.
 */
export const secondFactors = pgTable('second_factors', {
  user_id: int8()
    .primaryKey()
    .references(() => users.id),
  secret_sealed: text().notNull(),
  last_step: int8().notNull().default(0),
  created_at: int8().notNull().default(now),
  enabled_at: int8(),
});

/** Codes that stand in for a lost authenticator, by hash; the row of a used one is gone. */
export const backupCodes = pgTable(
  'backup_codes',
  {
    user_id: int8()
      .notNull()
      .references(() => users.id),
    hash: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.hash] })],
);

/**
 * Passkeys (WebAuthn): the public halves of keys that a user's devices hold. Each is good at the host that it was made
 * for and nowhere else. `counter` grows with each use of a key that counts; one that goes back is a copy. What was there
 * when the account was recovered is asked for after the password, and is no way in by itself.
 */
export const passkeys = pgTable(
  'passkeys',
  {
    id: identity(),
    user_id: int8()
      .notNull()
      .references(() => users.id),
    name: text().notNull(),
    credential_id: text().notNull(),
    /** COSE, as base64url. */
    public_key: text().notNull(),
    counter: int8().notNull(),
    transports: text().array().notNull().default([]),
    /** The host. */
    rp_id: text().notNull(),
    created_at: int8().notNull().default(now),
    used_at: int8().notNull().default(0),
    second_only: boolean().notNull().default(false),
  },
  (t) => [unique('passkeys_credential').on(t.credential_id), index('passkeys_user').on(t.user_id)],
);

/** Relay keys. `key_lookup` finds one, `key_sealed` shows it again to its owner, `key_hint` is what lists may show. */
export const tokens = pgTable(
  'tokens',
  {
    id: identity(),
    user_id: int8()
      .notNull()
      .references(() => users.id),
    name: text().notNull(),
    key_lookup: text().notNull(),
    key_sealed: text().notNull().default(''),
    key_hint: text().notNull(),
    status: smallint().notNull().default(1),
    remain_quota: int8().notNull().default(0),
    unlimited_quota: boolean().notNull().default(false),
    used_quota: int8().notNull().default(0),
    expired_time: int8().notNull().default(-1),
    model_limits_enabled: boolean().notNull().default(false),
    model_limits: text().array().notNull().default([]),
    allow_ips: text().array().notNull().default([]),
    group_name: text().notNull().default(''),
    /** It may use its owner's own keys at suppliers, which no quota bounds. */
    own_keys: boolean().notNull().default(false),
    /** The application that made it in its owner's name, and goes with what he lets it do; null for his own. */
    oauth_app_id: int8(),
    created_time: int8().notNull().default(now),
    accessed_time: int8().notNull().default(0),
    deleted_at: int8(),
  },
  (t) => [
    unique('tokens_lookup').on(t.key_lookup),
    index('tokens_user').on(t.user_id, t.id.desc()).where(sql`${t.deleted_at} is null`),
    index('tokens_deleted').on(t.user_id, t.deleted_at).where(sql`${t.deleted_at} is not null`),
    check('tokens_remain', sql`${t.unlimited_quota} or ${t.remain_quota} between 0 and 9007199254740991`),
    check('tokens_used', sql`${t.used_quota} between 0 and 9007199254740991`),
  ],
);

/** What an administrator did, to whom. */
export const adminActions = pgTable(
  'admin_actions',
  {
    id: identity(),
    actor_id: int8().notNull(),
    action: text().notNull(),
    target: text().notNull(),
    detail: json<JsonObject>().notNull().default({}),
    ip: text().notNull().default(''),
    created_at: int8().notNull().default(now),
  },
  (t) => [
    index('admin_actions_time').on(t.created_at.desc()),
    index('admin_actions_actor').on(t.actor_id, t.id.desc()),
    index('admin_actions_target').on(t.target, t.id.desc()),
  ],
);
