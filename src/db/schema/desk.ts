import { sql } from 'drizzle-orm';
import { boolean, check, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { identity, int8, json } from '../columns.ts';

/** A file that a prompt is shown with; the path is one of the client's. */
export interface Facet {
  type: 'demo-file';
  path: string;
}

/** What companion clients recommend to say. */
export const prompts = pgTable('prompts', {
  id: identity(),
  title: text().notNull().default(''),
  /** Names of MCP servers. */
  mcp: text().array().notNull().default([]),
  instruction: text().notNull(),
  /** Of the client, from which on it is shown; empty for every one. */
  version: text().notNull().default(''),
  /** Higher ones come first. */
  sort: integer().notNull().default(0),
  /** Codes of the client's platforms; none for all. */
  platform: text().array().$type<('win32' | 'darwin')[]>().notNull().default([]),
  release: boolean().notNull().default(false),
  facets: json<Facet[]>().notNull().default([]),
  tags: text().array().notNull().default([]),
  result_link: text().notNull().default(''),
});

/** Roles that companion clients can take. */
export const aiRoles = pgTable(
  'ai_roles',
  {
    id: identity(),
    role_name: text().notNull(),
    /** JSON as it was written: every digit and the order of its fields are its author's. */
    role: text().notNull(),
    /** The client's own word or number for a kind of roles, as JSON; nothing here reads it. */
    type: text().notNull().default('0'),
    /** Quota units, for the client to read. */
    quota: int8().notNull().default(0),
  },
  (t) => [check('ai_roles_quota', sql`${t.quota} between 0 and 9007199254740991`)],
);

/** Applications of the marketplace. */
export const applications = pgTable('applications', {
  id: identity(),
  /** What clients know it by. */
  name: text().notNull().unique(),
  display_name: text().notNull(),
  version: text().notNull(),
  description: text().notNull().default(''),
  homepage: text().notNull().default(''),
  /** Where its package is. */
  dxt_url: text().notNull(),
  type: text().$type<'conversation-tool' | 'webview'>().notNull().default('conversation-tool'),
  /** Higher ones come first. */
  rank: integer().notNull().default(0),
  /** Groups that it is offered to; none for everybody. */
  app_groups: text().array().notNull().default([]),
  keywords: text().array().notNull().default([]),
});
