/** What of answers and frames counts as output. */
import type { Produced } from './dialect.ts';
import { secondsIn } from './media-output.ts';
import type { Part, PartDelta } from './neutral.ts';

export const NOTHING_PRODUCED: Produced = { text: '', toolCalls: 0 };

export type ProducedSum = Required<Omit<Produced, 'thinks'>> & Pick<Produced, 'thinks'>;

/** A sum to which `addProduced` adds. */
export const nothingYet = (): ProducedSum => ({ text: '', toolCalls: 0, seconds: 0, pictures: 0 });

export function addProduced(sum: ProducedSum, more: Produced): void {
  sum.text += more.text;
  sum.toolCalls += more.toolCalls;
  sum.seconds += more.seconds ?? 0;
  sum.pictures += more.pictures ?? 0;
  if (more.thinks) sum.thinks = true;
}

/** What was thought; an empty text says nothing of whether anything was. */
export const thought = (text: string): Pick<Produced, 'thinks'> => (text === '' ? {} : { thinks: true });

/** All of it together. */
export function sumOf(all: readonly Produced[]): ProducedSum {
  const sum = nothingYet();
  for (const each of all) addProduced(sum, each);
  return sum;
}

export const saysAnything = ({ text, toolCalls, seconds = 0, pictures = 0 }: Produced): boolean =>
  text !== '' || toolCalls + seconds + pictures > 0;

export function producedByPart(part: Part): Produced {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return { text: part.text, toolCalls: 0 };
    case 'thinking':
      return { text: part.text, toolCalls: 0, ...thought(part.text) };
    case 'tool-call':
      return { text: part.name + part.input, toolCalls: 1 };
    case 'image':
      return { text: '', toolCalls: 0, pictures: part.isPlot ? 0 : 1 };
    case 'audio':
      return {
        text: part.transcript ?? '',
        toolCalls: 0,
        seconds: part.source.kind === 'data' ? secondsIn(part.source.data) : 0,
      };
    default:
      return NOTHING_PRODUCED;
  }
}

/** Nothing of these can be seen before their first piece. */
const BEGINS_EMPTY: ReadonlySet<Part['type']> = new Set<Part['type']>(['text', 'thinking', 'refusal']);

/** Whether a part is anything: an empty text is nothing, unless what it was thought from stands beside it, sealed. */
export const saysByPart = (part: Part): boolean =>
  !BEGINS_EMPTY.has(part.type) || producedByPart(part).text !== '' || isSealed(part);

const isSealed = (part: Part): boolean =>
  (part.type === 'thinking' && Boolean(part.signature || part.encrypted)) ||
  (part.type === 'text' && Boolean(part.signature));

export function producedByDelta(delta: PartDelta): Produced {
  if (delta.type === 'thinking') return { text: delta.text, toolCalls: 0, ...thought(delta.text) };
  if ('text' in delta) return { text: delta.text, toolCalls: 0 };
  if (delta.type !== 'audio') return NOTHING_PRODUCED;
  return { text: delta.transcript ?? '', toolCalls: 0, seconds: secondsIn(delta.data ?? '') };
}

export const producedBy = (parts: readonly Part[]): Produced => sumOf(parts.map(producedByPart));
