import { sql } from 'drizzle-orm';
import { bigint, customType } from 'drizzle-orm/pg-core';

/**
 * JSON objects and arrays. Drizzle's own jsonb() over Bun.sql stores a JSON string instead of an object
 * (drizzle-team/drizzle-orm#4942); the text cast stores it right on every driver.
 */
export const json = <T>() =>
  customType<{ data: T; driverData: unknown }>({
    dataType: () => 'jsonb',
    toDriver: (value) => sql`${JSON.stringify(value)}::text::jsonb`,
    fromDriver: (value) => (typeof value === 'string' ? JSON.parse(value) : value) as T,
  })();

/** 64-bit integers, read as numbers: ids, unix seconds, quota units. The database keeps them within 2^53-1. */
export const int8 = () => bigint({ mode: 'number' });

/** Identity column that only the database assigns. */
export const identity = () => int8().generatedAlwaysAsIdentity().primaryKey();

export const now = sql`extract(epoch from now())::bigint`;
