/** One process under load on a Postgres: `load-process.ts URL SECONDS TOKENS`, TOKENS as user:token,… Prints what it did as JSON. */

import { AppError } from '../../src/core/errors.ts';
import { openPostgres } from '../../src/db/client.ts';
import { holdOf, makeBilling, settlementOf } from '../support/accounts.ts';

const [url = '', seconds = '1', list = '', channelList = ''] = process.argv.slice(2);
const tokens = list.split(',').map((pair) => pair.split(':').map(Number) as [number, number]);
const channels = channelList.split(',').map(Number);
const pick = <T>(from: readonly T[]): T => from[Math.floor(Math.random() * from.length)] as T;
const db = await openPostgres(url);
const { billing } = await makeBilling(db);
const seen = { granted: 0, refused: 0, errors: [] as string[] };
const until = performance.now() + Number(seconds) * 1000;

async function caller(): Promise<void> {
  while (performance.now() < until) {
    const [userId, tokenId] = pick(tokens);
    const hold = holdOf(userId, tokenId, Math.floor(Math.random() * 300));
    try {
      if ((await billing.reserve(hold)) === 'refused') {
        seen.refused++;
        continue;
      }
      seen.granted++;
      if (Math.random() < 0.3) await billing.extend(hold);
      const failed = Math.random() < 0.1;
      const charge = failed ? 0 : Math.floor(Math.random() * 400);
      await billing.settle(
        settlementOf(hold.id, charge, { type: failed ? 4 : 2, channelId: pick(channels) }),
      );
    } catch (error) {
      seen.errors.push(
        error instanceof AppError ? `${error.code} ${String(error.detail.cause)}` : String(error),
      );
    }
  }
}

await Promise.all(Array.from({ length: 48 }, caller));
await billing.drain();
await billing.close();
await db.close();
process.stdout.write(JSON.stringify(seen));
