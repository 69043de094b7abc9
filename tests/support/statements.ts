/** An embedded database that counts the statements sent to it, for tests that a page costs the same whatever it holds. */
import type { Database } from '../../src/db/client.ts';
import { embeddedDatabase } from '../../src/db/embedded.ts';
import { freshEngine } from './database.ts';

export interface CountedDatabase {
  db: Database;
  /** The statements that `work` sends, transactions' begin and end not counted. */
  statementsOf(work: () => Promise<unknown>): Promise<string[]>;
}

type Queryable = { query: (...args: never[]) => unknown };

export async function countedDatabase(): Promise<CountedDatabase> {
  const pg = await freshEngine();
  let statements: string[] = [];
  const watched = <T extends Queryable>(target: T): T =>
    new Proxy(target, {
      get(from, name) {
        const value: unknown = Reflect.get(from, name);
        if (typeof value !== 'function') return value;
        if (name === 'query') {
          return (text: string, ...rest: unknown[]) => {
            statements.push(text);
            return value.call(from, text, ...rest);
          };
        }
        if (name === 'transaction') {
          return (work: (tx: Queryable) => unknown) => value.call(from, (tx: Queryable) => work(watched(tx)));
        }
        return value.bind(from);
      },
    });
  return {
    db: embeddedDatabase(watched(pg)),
    async statementsOf(work) {
      statements = [];
      await work();
      return statements.filter((text) => !/^\s*(begin|commit|rollback|set transaction)/i.test(text));
    },
  };
}
