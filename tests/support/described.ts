/** Every call of `/api` as the product's own description tells it, and values that fit its schemas. */
import { createApi } from '../../src/api.ts';
import { isObject, type JsonObject } from '../../src/core/json.ts';
import { description } from '../../src/http/openapi.ts';
import type { TestApi } from './api.ts';

export interface DescribedCall {
  method: string;
  path: string;
  /** Names of what stands in the address, without those of the path. */
  query: string[];
  /** The orders of a list that has some. */
  orders: string[];
  /** The JSON schema of its body. */
  body: unknown;
}

export const objects = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** A value that fits a JSON schema: of an object its required fields. */
export function sample(schema: unknown): unknown {
  if (!isObject(schema)) return null;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if ('const' in schema) return schema.const;
  if (schema.type === 'string') return 'x';
  if (schema.type === 'boolean') return true;
  if (schema.type === 'number' || schema.type === 'integer') return schema.minimum ?? 1;
  if (schema.type === 'array') return schema.minItems ? [sample(schema.items)] : [];
  if (schema.type === 'object') return required(schema);
  const [first] = objects(schema.anyOf);
  return first ? sample(first) : null;
}

export function required(schema: unknown): Record<string, unknown> {
  const listed = at(schema, 'required');
  const names = Array.isArray(listed) ? listed.map(String) : [];
  return Object.fromEntries(names.map((name) => [name, sample(at(schema, 'properties', name))]));
}

export const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value);

export async function describedCalls(api: TestApi): Promise<DescribedCall[]> {
  const answer = await description([createApi(api.deps)]).handle(
    new Request('http://localhost/openapi.json'),
  );
  const { paths } = await answer.json();
  return Object.entries<JsonObject>(paths)
    .filter(([path]) => path.startsWith('/api/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, call]) => ({
        method: method.toUpperCase(),
        path,
        query: objects(at(call, 'parameters'))
          .filter((parameter) => parameter.in === 'query')
          .map(({ name }) => String(name)),
        orders: objects(at(call, 'parameters'))
          .filter(({ name }) => name === 'sort')
          .flatMap(({ schema }) => at(schema, 'enum'))
          .map(String),
        body: at(call, 'requestBody', 'content', 'application/json', 'schema'),
      })),
    );
}
