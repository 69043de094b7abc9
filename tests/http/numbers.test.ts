/**
 * Numbers that no column holds: every parameter of every call, and every field of every body that takes a number, is
 * given what is too large for it or below it. Whatever the call says to that, it says it and does not fail.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { isObject, type Json, type JsonObject } from '../../src/core/json.ts';
import { type Client, openApi, type TestApi } from '../support/api.ts';
import { at, type DescribedCall, describedCalls, objects, required } from '../support/described.ts';
import { patience } from '../support/patience.ts';
import { channelBody } from './channel/support.ts';

/** Beyond smallint, integer, what a JSON number holds exactly, and bigint; below zero; and no whole number. */
const NUMBERS = [40_000, 2 ** 31, 2 ** 53, 1e19, -1, -(2 ** 31) - 1, 0.5];
const NAMED_IDS = ['id'];

/** Values of a JSON schema that hold the number in one place each: as they are, in a list, in a field, below a name. */
function holding(schema: unknown, number: number): unknown[] {
  if (!isObject(schema)) return [];
  const { type, items, properties, additionalProperties } = schema;
  return [
    ...(type === 'number' || type === 'integer' ? [number] : []),
    ...holding(items, number).map((item) => [item]),
    ...Object.entries(isObject(properties) ? properties : {}).flatMap(([name, inner]) =>
      holding(inner, number).map((value) => ({ ...required(schema), [name]: value })),
    ),
    ...holding(additionalProperties, number).map((value) => ({ x: value })),
    ...[...objects(schema.anyOf), ...objects(schema.allOf)].flatMap((one) => holding(one, number)),
  ];
}

/** The same of a body, a field of it at a time. */
const fieldsHolding = (body: unknown, number: number): JsonObject[] =>
  Object.entries(at(body, 'properties') ?? {}).flatMap(([name, schema]) =>
    holding(schema, number).map((value) => ({ [name]: value as Json })),
  );

describe('numbers that no column holds', () => {
  let api: TestApi;
  let root: Client;
  let calls: DescribedCall[] = [];
  /** A body that the call takes, so that the one field decides. */
  let bodies: Record<string, JsonObject> = {};
  beforeAll(async () => {
    api = await openApi('postgres');
    root = await api.root();
    await api.deps.options.set({ ApiRateLimitSession: '1000000' });
    calls = await describedCalls(api);
    const user = (await api.createUser()).id;
    const channel = (await root.post('/api/channel/', channelBody())).data.ids[0];
    const token = (await root.post('/api/token/', { name: 'n', unlimited_quota: true })).data.id;
    bodies = {
      'POST /api/channel/': channelBody(),
      'PUT /api/channel/': { id: channel },
      'PUT /api/channel/tag': { tag: 'blue' },
      'POST /api/token/': { name: 'n', unlimited_quota: true },
      'PUT /api/token/': { id: token },
      'PUT /api/user/': { id: user, reason: 'why' },
      'POST /api/user/': { username: 'numbers', password: 'Passw0rd1' },
      'PUT /api/user/setting': { notify_type: 'email' },
    };
  });
  afterAll(() => api.close());

  /** Ends nothing that the others need. */
  const isSafe = ({ path }: DescribedCall): boolean =>
    !/logout|\/user\/self$|sessions|\/user\/token$/.test(path);
  const statusOf = async (method: string, path: string, body?: JsonObject): Promise<number> =>
    (await root.call(method, path, body)).status;

  it(
    'are no fault in any parameter of an address',
    async () => {
      const faults: string[] = [];
      const tried = calls.filter((call) => call.method === 'GET' && isSafe(call));
      expect(tried.flatMap(({ query }) => query).length).toBeGreaterThan(50);
      for (const { method, path, query } of tried) {
        for (const number of NUMBERS) {
          const filled = path.replace(/\{\w+\}/g, String(number));
          for (const name of path.includes('{') ? [...query, ...NAMED_IDS] : query) {
            const status = await statusOf(method, `${filled}?${name}=${number}`);
            if (status >= 500) faults.push(`${method} ${filled}?${name}=${number}: ${status}`);
          }
        }
      }
      expect(faults).toEqual([]);
    },
    patience(120_000),
  );

  it(
    'and orders: every list takes each of its own, and says of another that there is none',
    async () => {
      const lists = calls.filter(({ orders }) => orders.length > 0);
      expect(lists.length).toBeGreaterThan(20);
      const faults: string[] = [];
      for (const { path, orders } of lists) {
        for (const order of orders) {
          const answer = await root.get(`${path}?sort=${order}`);
          if (answer.status !== 200) faults.push(`${path}?sort=${order}: ${answer.status}`);
        }
        const { status, code } = await root.get(`${path}?sort=password`);
        if (status !== 400 || code !== 'BAD_PARAM') faults.push(`${path}?sort=password: ${status} ${code}`);
      }
      expect(faults).toEqual([]);
    },
    patience(120_000),
  );

  it(
    'are no fault in any field of a body',
    async () => {
      const faults: string[] = [];
      const tried = calls.filter((call) => call.method !== 'GET' && isSafe(call));
      const shapes = tried.flatMap((call) =>
        fieldsHolding(call.body, 0).map((fields) => JSON.stringify(fields)),
      );
      expect(shapes.length).toBeGreaterThan(30);
      // In lists and in objects too.
      expect(shapes.filter((shape) => shape.includes('[0]')).length).toBeGreaterThan(3);
      for (const call of tried) {
        const { method, path } = call;
        for (const number of NUMBERS) {
          for (const fields of fieldsHolding(call.body, number)) {
            const body: JsonObject = {
              ...(required(call.body) as JsonObject),
              ...bodies[`${method} ${path}`],
              ...fields,
            };
            const status = await statusOf(method, path.replace(/\{\w+\}/g, '1'), body);
            if (status >= 500) faults.push(`${method} ${path} ${JSON.stringify(fields)}: ${status}`);
          }
        }
      }
      expect(faults).toEqual([]);
    },
    patience(120_000),
  );
});
