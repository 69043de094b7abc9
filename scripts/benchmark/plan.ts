/** What is measured, in groups whose members are compared with one another. */
import type { Load } from './measure.ts';
import type { Asked, Stage } from './stage.ts';

export const PARTS = ['plain', 'streams', 'one', 'memory'] as const;
export type Part = (typeof PARTS)[number];

export interface Sizes {
  rounds: number;
  /** Of each measurement of plain calls. */
  seconds: number;
  warmUpSeconds: number;
  accounts: number;
  streams: number;
  /** So few that the machine is not full. */
  fewStreams: number;
  /** Looks at the memory of streams, besides the first. */
  memoryRounds: number;
}

export const FULL: Sizes = {
  rounds: 7,
  seconds: 1.5,
  warmUpSeconds: 5,
  accounts: 1_000,
  streams: 1_000,
  fewStreams: 200,
  memoryRounds: 3,
};
/** Shows that everything works, in some seconds; its figures mean nothing. */
export const QUICK: Sizes = {
  rounds: 1,
  seconds: 0.3,
  warmUpSeconds: 0.3,
  accounts: 20,
  streams: 50,
  fewStreams: 10,
  memoryRounds: 1,
};

/** Names of the members, in the order in which they are shown. */
export const MEMBERS = {
  direct: 'direct',
  raw: 'raw',
  before: 'before',
  postgres: 'Postgres',
  hot: 'Postgres, one account',
  pglite: 'PGlite',
  converted: 'Postgres, converted',
} as const;
export type Member = keyof typeof MEMBERS;

export interface Group {
  part: Part;
  name: string;
  load: Load;
  members: readonly Member[];
}

export const isStreams = ({ load }: Group): boolean => load.kind === 'streams';

/** The name of a member's series in its group. */
export const seriesOf = (group: Pick<Group, 'name'>, member: Member): string => `${group.name}: ${member}`;

/** The groups of these parts. */
export function planOf(parts: readonly Part[], sizes: Sizes, against: boolean): Group[] {
  const plain = (connections: number): Load => ({ kind: 'plain', connections, seconds: sizes.seconds });
  const streams = (connections: number): Load => ({ kind: 'streams', connections, seconds: 0 });
  const ofPlain: Member[] = ['direct', 'raw', 'before', 'postgres', 'hot', 'pglite'];
  const ofStreams: Member[] = ['direct', 'raw', 'before', 'postgres', 'converted'];
  const groups: Group[] = [
    { part: 'one', name: ONE, load: plain(1), members: ['direct', 'before', 'hot', 'pglite'] },
    { part: 'plain', name: AT_32, load: plain(32), members: ofPlain },
    { part: 'plain', name: AT_200, load: plain(200), members: ofPlain },
    { part: 'streams', name: FEW, load: streams(sizes.fewStreams), members: ofStreams },
    { part: 'streams', name: MANY, load: streams(sizes.streams), members: ofStreams },
  ];
  return groups
    .filter(({ part }) => parts.includes(part))
    .map((group) => ({
      ...group,
      members: group.members.filter((member) => against || member !== 'before'),
    }));
}

export const ONE = 'one connection';
export const AT_32 = '32 connections';
export const AT_200 = '200 connections';
export const FEW = 'few streams';
export const MANY = 'many streams';

/** Whom a member asks, and how. */
export function askedOf(stage: Stage, member: Member, { load }: Group): { asked: Asked; load: Load } {
  const { onPostgres, before } = stage;
  const hot: Asked = { target: onPostgres.target, keys: onPostgres.keys.slice(0, 1) };
  switch (member) {
    case 'direct':
    case 'raw':
      return { asked: stage[member], load };
    case 'before':
      if (!before) throw new Error('no commit is compared with');
      // One connection is measured on one account.
      return { asked: load.connections === 1 ? { ...before, keys: before.keys.slice(0, 1) } : before, load };
    case 'postgres':
      return { asked: onPostgres, load };
    case 'hot':
      return { asked: hot, load };
    case 'pglite':
      return { asked: stage.onPglite, load };
    case 'converted':
      return { asked: onPostgres, load: { ...load, dialect: 'anthropic' } };
  }
}

/** Begun with another one each time: whoever goes first has the emptier machine. */
export const rotated = <T>(list: readonly T[], by: number): T[] => [
  ...list.slice(by % list.length),
  ...list.slice(0, by % list.length),
];
