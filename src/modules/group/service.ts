/**
 * Groups of users and channels. The keys of GroupRatio are all groups there are; users choose among UserUsableGroups
 * and their own.
 */
import { sql } from 'drizzle-orm';
import { own } from '../../core/own.ts';
import type { Executor } from '../../db/client.ts';
import { rowsOf, textList } from '../../db/statement.ts';
import type { Options } from '../../options/store.ts';

export interface UsableGroup {
  ratio: number;
  desc: string;
}

type Reads = Pick<Options, 'get'>;

export const groupNames = (options: Reads): string[] => Object.keys(options.get('GroupRatio'));

export const groupExists = (options: Reads, name: string): boolean =>
  Object.hasOwn(options.get('GroupRatio'), name);

/** What a user of `userGroup` pays in `group`: the ratio for his group there, else that group's own; null when there is no such group. */
export function groupRatioFor(options: Reads, userGroup: string, group: string): number | null {
  const ratio = own(options.get('GroupRatio'), group);
  if (ratio === undefined) return null;
  return own(own(options.get('GroupGroupRatio'), userGroup) ?? {}, group) ?? ratio;
}

/** The groups that a user of `userGroup` may use, his own first. */
export function usableGroups(options: Reads, userGroup: string): Map<string, UsableGroup> {
  const described = options.get('UserUsableGroups');
  const usable = new Map<string, UsableGroup>();
  for (const name of [userGroup, ...Object.keys(described)]) {
    const ratio = groupRatioFor(options, userGroup, name);
    if (ratio !== null && !usable.has(name)) usable.set(name, { ratio, desc: own(described, name) ?? name });
  }
  return usable;
}

/** What still names a group. */
export interface GroupUse {
  group: string;
  users: number;
  tokens: number;
  channels: number;
}

/** Which of these groups are still somebody's: of users, of their tokens, of channels. Those that are not are absent. */
export async function groupsInUse(executor: Executor, groups: readonly string[]): Promise<GroupUse[]> {
  if (groups.length === 0) return [];
  const rows = rowsOf<GroupUse>(
    await executor.execute(sql`
      select g as "group",
        (select count(*)::int from users where group_name = g and deleted_at is null) as users,
        (select count(*)::int from tokens where group_name = g and deleted_at is null) as tokens,
        (select count(*)::int from channels where g = any(groups)) as channels
      from unnest(${textList(groups)}::text[]) as g order by g`),
  );
  return rows.filter(({ users, tokens, channels }) => users + tokens + channels > 0);
}
