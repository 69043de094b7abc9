/** An account in the database, its ledger and its statement, held against the reference. */
import { expect } from 'bun:test';
import type { Client, TestApi, TestUser } from '../support/api.ts';
import type { Account } from './books.ts';

/** All lines, page by page, as `[kind, delta, balance]`. */
async function statementOf(
  root: Client,
  user: TestUser,
  zone: string,
): Promise<[kind: number, delta: number, balance: number][]> {
  const lines: [number, number, number][] = [];
  for (let before = ''; ; ) {
    const query = `page_size=3&time_zone=${encodeURIComponent(zone)}&before=${before}`;
    const { items, older } = (await root.get(`/api/user/${user.id}/statement?${query}`)).data;
    for (const { kind, delta, balance } of items) lines.push([kind, delta, balance]);
    if (older === null) return lines;
    before = older;
  }
}

export async function expectBooks(
  api: TestApi,
  root: Client,
  { user, account }: { user: TestUser; account: Account },
  zone: string,
): Promise<void> {
  const [row] = await api.deps.db.query(
    `select quota + reserved as balance, reserved, used_quota as used, aff_quota + activity_quota as rewards,
       (select coalesce(sum(delta), 0)::bigint from ledger where user_id = users.id) as ledger
     from users where id = $1`,
    [user.id],
  );
  const { balance, reserved, used, rewards } = account;
  expect(row).toEqual({ balance, reserved, used, rewards, ledger: balance });
  const lines = await statementOf(root, user, zone);
  expect(lines).toEqual(account.statement(zone));
  for (const [, , after] of lines) expect(after).toBeGreaterThanOrEqual(0);
  const first = lines.at(-1);
  if (first) expect(first[2]).toBe(first[1]);
}
