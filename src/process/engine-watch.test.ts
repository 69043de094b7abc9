import { expect, it } from 'bun:test';
import { freshEngine } from '../../tests/support/database.ts';
import { patience } from '../../tests/support/patience.ts';
import { limits } from '../core/limits.ts';
import { embeddedDatabase } from '../db/embedded.ts';
import { createLogger } from '../platform/logger.ts';
import { watchEngine } from './engine-watch.ts';

const lines: string[] = [];
const log = createLogger('info', (line) => void lines.push(line));

it(
  'says once that an embedded database stays broken, after some looks and with a clear line',
  async () => {
    const pg = await freshEngine();
    const db = embeddedDatabase(pg);
    let broken = 0;
    const watch = watchEngine({ db, log }, () => broken++);
    expect(await watch.round()).toBe(0);
    // As an engine does whose memory is gone: it answers nothing any more.
    await pg.close();
    for (let n = 1; n < limits.engineFaults; n++) expect(await watch.round()).toBe(n);
    expect(broken).toBe(0);
    await watch.round();
    await watch.round();
    expect(broken).toBe(1);
    expect(lines.filter((line) => line.includes('database.broken'))).toHaveLength(1);
    await watch.stop();
  },
  patience(120_000),
);

it('begins anew when the engine answers, also with an error of its own', async () => {
  const answers: (unknown[] | Error)[] = [
    new Error('RuntimeError: unreachable'),
    new Error('RuntimeError: unreachable'),
    [],
    new Error('RuntimeError: unreachable'),
    Object.assign(new Error('too many clients'), { code: '53300' }),
  ];
  const query = async <T>(): Promise<T[]> => {
    const answer = answers.shift() ?? [];
    if (answer instanceof Error) throw answer;
    return answer as T[];
  };
  const watch = watchEngine({ db: { engine: 'pglite', query }, log }, () => expect.unreachable());
  const seen: number[] = [];
  for (let n = 0; n < 5; n++) seen.push(await watch.round());
  expect(seen).toEqual([1, 2, 0, 1, 0]);
  await watch.stop();
});
