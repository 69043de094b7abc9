/**
 * Groups of users and channels. The keys of GroupRatio are all groups there are; users choose among UserUsableGroups
 * and their own.
 */
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
  const ratios = options.get('GroupRatio');
  const own = Object.hasOwn(ratios, group) ? ratios[group] : undefined;
  if (own === undefined) return null;
  return options.get('GroupGroupRatio')[userGroup]?.[group] ?? own;
}

/** The groups that a user of `userGroup` may use, his own first. */
export function usableGroups(options: Reads, userGroup: string): Map<string, UsableGroup> {
  const described = options.get('UserUsableGroups');
  const usable = new Map<string, UsableGroup>();
  for (const name of [userGroup, ...Object.keys(described)]) {
    const ratio = groupRatioFor(options, userGroup, name);
    if (ratio !== null && !usable.has(name)) usable.set(name, { ratio, desc: described[name] ?? name });
  }
  return usable;
}
