/** What the parts of OpenAI's two wires say of a medium in the same words. */
import type { JsonObject } from '../core/json.ts';
import { compact, type FieldTaker, hasFields } from './fields.ts';
import { audioType, sourceIn, typeOfName } from './media.ts';
import type { AudioPart, MediaSource } from './neutral.ts';

export const DETAILS = ['low', 'high', 'auto', 'original'] as const;

/** Where a picture or a file may be, in the order in which the fields are asked: the first that says anything is read. */
export type Sources = Readonly<Record<string, (given: string, mediaType: string) => MediaSource>>;

export const keptFile = (id: string): MediaSource => ({ kind: 'file', id });

export function sourceAt(fields: FieldTaker, sources: Sources, mediaType: string): MediaSource | undefined {
  for (const [field, sourceOf] of Object.entries(sources)) {
    const given = fields.text(field);
    if (given !== undefined) return sourceOf(given, mediaType);
  }
  return undefined;
}

/** Of a file, which is a PDF where nothing tells: its bytes by its name, and what lies at an address by that alone. */
export function fileAt(
  fields: FieldTaker,
  sources: Sources,
  filename: string | undefined,
): MediaSource | undefined {
  const type = filename && typeOfName(filename);
  const source = sourceAt(fields, sources, type || 'application/pdf');
  return source?.kind === 'url' && !type ? { kind: 'url', url: source.url } : source;
}

/** A sound by its bytes or its address. */
export const soundPart = (given: string, format = 'wav', extra: JsonObject = {}): AudioPart =>
  compact<AudioPart>({
    type: 'audio',
    source: sourceIn(given, audioType(format)),
    format,
    extra: hasFields(extra) ? extra : undefined,
  });
