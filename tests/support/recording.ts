/** One recorded answer of a vendor, from the folder that RECORDINGS_DIR names. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type JsonObject, parseObject } from '../../src/core/json.ts';

const root = path.join(import.meta.dir, '..', '..');
const folder = path.resolve(
  root,
  process.env.RECORDINGS_DIR ?? path.join(root, '..', 'shared', 'fixtures', 'upstream'),
);

const textOf = (name: string): string | undefined => {
  const file = path.join(folder, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
};

/** Undefined where the folder is not there: tests have a case of their own to go on with. */
export const recording = (name: string): JsonObject | undefined => parseObject(textOf(name) ?? '');

/** The events of a recorded stream. */
export const recordedEvents = (name: string): JsonObject[] | undefined =>
  textOf(name)
    ?.split('\n')
    .map(parseObject)
    .filter((event) => event !== undefined);
