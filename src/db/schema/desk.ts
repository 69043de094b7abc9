import { boolean, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { identity, json } from '../columns.ts';

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
