/**
 * Texts of statements that a caller chooses, by how long his lists are and by what he filters: a server of Postgres that
 * kept each on every connection, with its plan, would soon have no memory for anything else.
 */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import { type Answer, type Client, openApi, type TestApi } from '../support/api.ts';
import { keptStatements, OWN_TEXTS } from '../support/kept-statements.ts';

let api: TestApi;
let caller: Client;
beforeAll(async () => {
  api = await openApi('postgres');
  caller = await api.as(await api.createUser());
});
afterAll(() => api.close());

const LENGTHS = Array.from({ length: 60 }, (_, n) => n + 1);
const FILTERS = ['token_name=a', 'token_id=1', 'model_name=a', 'group=default', 'code=x', 'request_id=x'];
/** Each choice of them, in one of three orders. */
const CHOICES = Array.from({ length: 2 ** FILTERS.length }, (_, n) =>
  [...FILTERS.filter((_, at) => n & (1 << at)), `sort=${['time', '-cost', 'model'][n % 3]}`].join('&'),
);

it.each<[string, (() => Promise<Answer>)[]]>([
  [
    'tokens to delete, so many and so many',
    LENGTHS.map((length) => () => caller.post('/api/token/batch', { ids: Array(length).fill(1) })),
  ],
  ['filters of the log', CHOICES.map((choice) => () => caller.get(`/api/log/self?${choice}`))],
  ['its sums', CHOICES.map((choice) => () => caller.get(`/api/log/self/stat?${choice}`))],
])('the server keeps none of them: %s', async (_which, calls) => {
  for (const call of calls) expect((await call()).status).toBe(200);
  expect(new Set(await keptStatements(api.deps.db)).size).toBeLessThanOrEqual(OWN_TEXTS);
});
