/**
 * Every bound of every body, as the description of the calls tells it: what breaks one of them is refused with the name
 * of its field, and changes nothing. Rules that no schema can say have tests of their own, beside their calls.
 */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import { isObject, type Json, type JsonObject } from '../../src/core/json.ts';
import { type Client, openApi, type TestApi } from '../support/api.ts';
import { at, type DescribedCall, describedCalls, required } from '../support/described.ts';

let api: TestApi;
let root: Client;
let calls: DescribedCall[] = [];
beforeAll(async () => {
  api = await openApi('postgres');
  root = await api.root();
  await api.deps.options.set({ ApiRateLimitSession: '1000000' });
  calls = (await describedCalls(api)).filter(({ method, body }) => method !== 'GET' && isObject(body));
});
afterAll(() => api.close());

/** Of no type that a field has. */
const OF_NO_TYPE = [{ 'of no type': [{}] }];
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN);

/** Values that break one bound of a field each; of one that may be this or that, those that are neither. */
function breaking(schema: unknown): Json[] {
  if (!isObject(schema) || Array.isArray(schema.anyOf)) return [];
  const { type, minLength, maxLength, minimum, maximum, minItems, maxItems, items } = schema;
  const most = numberOf(maxItems);
  return [
    ...(type === undefined ? [] : (OF_NO_TYPE as Json[])),
    ...(maxLength === undefined ? [] : ['x'.repeat(numberOf(maxLength) + 1)]),
    ...(numberOf(minLength) > 0 ? ['x'.repeat(numberOf(minLength) - 1)] : []),
    ...(schema.pattern === undefined ? [] : ['\u0007 fits no pattern']),
    ...(schema.enum === undefined ? [] : ['no such word']),
    ...(minimum === undefined ? [] : [numberOf(minimum) - 1]),
    ...(maximum === undefined ? [] : [numberOf(maximum) + 1]),
    ...([type].flat().includes('integer') ? [0.5] : []),
    ...(most >= 0 && most <= 10_000 ? [Array.from({ length: most + 1 }, () => 'x')] : []),
    ...(numberOf(minItems) > 0 ? [[]] : []),
    ...breaking(items).map((item) => [item]),
  ];
}

interface Broken {
  call: DescribedCall;
  field: string;
  body: JsonObject;
}

/** One field at a time, beside what is required. */
const brokenBodies = (call: DescribedCall): Broken[] =>
  Object.entries(at(call.body, 'properties') ?? {}).flatMap(([field, schema]) => {
    const rest = required(call.body) as JsonObject;
    const { [field]: _, ...without } = rest;
    const bodies: JsonObject[] = breaking(schema).map((value) => ({ ...rest, [field]: value }));
    return (field in rest ? [...bodies, without] : bodies).map((body) => ({ call, field, body }));
  });

/** All that is stored, but for when somebody was here last, and what processes say of themselves. */
async function stored(): Promise<string> {
  const tables = await api.deps.db.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
     and relname not in ('sessions', 'instances', 'leases') order by relname`,
  );
  const sums = await Promise.all(
    tables.map(async ({ name }) => [
      name,
      await api.deps.db.query(
        `select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) from "${name}" t`,
      ),
    ]),
  );
  return JSON.stringify(sums, null, 1);
}

it('is kept: what breaks it is refused by the name of its field, and changes nothing', async () => {
  const broken = calls.flatMap(brokenBodies);
  expect(broken.length).toBeGreaterThan(600);
  const before = await stored();
  const wrong: string[] = [];
  for (const { call, field, body } of broken) {
    const { method, path } = call;
    const answer = await root.call(method, path.replace(/\{\w+\}/g, '1'), body);
    const { status, code, success } = answer;
    const named = String(at(answer.data, 'field') ?? '').split('.')[0];
    const isRefused = success === false && status === 400 && code === 'BAD_PARAM' && named === field;
    if (!isRefused)
      wrong.push(
        `${method} ${path} ${JSON.stringify(body).slice(0, 80)}: ${status} ${answer.text.slice(0, 160)}`,
      );
  }
  expect(wrong).toEqual([]);
  expect(await stored()).toBe(before);
});
