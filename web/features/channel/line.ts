/** The rows of the list: channels or, in the tag view, tags with their channels below them. */
import { CHANNEL_STATUS } from '@modules/channel/facts.ts';
import type { DataOf } from '@/lib/calls.ts';
import type { Channel } from './channel.ts';

export interface TagLine {
  /** Tells the two kinds of rows apart, and names the row. */
  tagOf: string;
  channels: Channel[];
}

export type Line = Channel | TagLine;

export const isChannel = (line: Line): line is Channel => 'id' in line;

export const isTag = (line: Line): line is TagLine => 'tagOf' in line;

const tagRowId = (tag: string): string => `tag:${tag}`;

export const lineId = (line: Line): string => (isTag(line) ? tagRowId(line.tagOf) : String(line.id));

/** What is folded away under a row. */
export const channelsUnder = (line: Line): Channel[] | undefined => (isTag(line) ? line.channels : undefined);

/** A row a tag, over its channels; what has no tag stands by itself. The order is that of the channels. */
export function tagLines(channels: readonly Channel[]): Line[] {
  const lines = new Map<string, Line>();
  for (const channel of channels) {
    const line = lines.get(tagRowId(channel.tag));
    if (line && isTag(line)) line.channels.push(channel);
    else if (channel.tag) lines.set(tagRowId(channel.tag), { tagOf: channel.tag, channels: [channel] });
    else lines.set(lineId(channel), channel);
  }
  return [...lines.values()];
}

/** How many channels the filters have, whatever a page counts. */
export const channelCount = (
  { type_counts: counts }: Pick<DataOf<'get', '/api/channel/'>, 'type_counts'>,
  type: string | undefined,
): number => counts[Number(type) || 'all'] ?? 0;

export interface TagSum {
  on: number;
  off: number;
  /** Milliseconds, the mean of those that were tested; 0 when none was. */
  responseMs: number;
  used: number;
  /** Null where the channels differ. */
  priority: number | null;
  weight: number | null;
}

export function sumOf({ channels }: TagLine): TagSum {
  const tested = channels.filter(({ response_time }) => response_time > 0);
  const on = channels.filter(({ status }) => status === CHANNEL_STATUS.enabled).length;
  return {
    on,
    off: channels.length - on,
    responseMs:
      tested.length === 0
        ? 0
        : tested.reduce((sum, { response_time }) => sum + response_time, 0) / tested.length,
    used: channels.reduce((sum, { used_quota }) => sum + used_quota, 0),
    priority: common(channels.map(({ priority }) => priority)),
    weight: common(channels.map(({ weight }) => weight)),
  };
}

function common(values: readonly number[]): number | null {
  const [first] = values;
  return first !== undefined && values.every((value) => value === first) ? first : null;
}
