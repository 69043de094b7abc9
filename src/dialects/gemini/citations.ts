/**
 * What an answer leans on: grounding of a search, and passages that the service recognised. Its offsets count bytes of
 * UTF-8, those of the neutral model characters.
 */
import type { JsonObject } from '../../core/json.ts';
import { compact, numberOf, objectOf, objectsOf, textOf } from '../fields.ts';
import type { Citation } from '../neutral.ts';

/** The citations of a candidate, in the text of its answer so far. */
export function readCitations(candidate: JsonObject, text: string): Citation[] {
  const offset = charOffsets(text);
  const recited = objectOf(candidate.citationMetadata);
  return [
    ...readGrounding(objectOf(candidate.groundingMetadata), offset),
    ...objectsOf(recited?.citationSources ?? recited?.citations).map((source) =>
      compact<Citation>({
        kind: 'url',
        url: textOf(source.uri),
        title: textOf(source.title),
        start: offset(numberOf(source.startIndex) ?? 0),
        end: offset(numberOf(source.endIndex)),
        raw: { dialect: 'gemini', value: source },
      }),
    ),
  ];
}

type Offset = (bytes: number | undefined) => number | undefined;

function charOffsets(text: string): Offset {
  let bytes: Buffer | undefined;
  return (offset) => {
    if (offset === undefined) return undefined;
    bytes ??= Buffer.from(text);
    return bytes.toString('utf8', 0, offset).length;
  };
}

/** Each support names the chunks that it leans on; chunks that support nothing are still sources of the whole. */
function readGrounding(grounding: JsonObject | undefined, offset: Offset): Citation[] {
  const chunks = objectsOf(grounding?.groundingChunks);
  const used = new Set<number>();
  const citations = objectsOf(grounding?.groundingSupports).flatMap((support) => {
    const segment = objectOf(support.segment);
    const indices = Array.isArray(support.groundingChunkIndices) ? support.groundingChunkIndices : [];
    return indices.flatMap((index): Citation[] => {
      const chunk = typeof index === 'number' ? chunks[index] : undefined;
      if (!chunk || typeof index !== 'number') return [];
      used.add(index);
      const at = {
        start: offset(numberOf(segment?.startIndex) ?? 0),
        end: offset(numberOf(segment?.endIndex)),
      };
      return [citationOf(chunk, { citedText: textOf(segment?.text), ...at })];
    });
  });
  const whole = chunks.filter((_, index) => !used.has(index)).map((chunk) => citationOf(chunk, {}));
  return [...citations, ...whole];
}

function citationOf(chunk: JsonObject, where: Partial<Citation>): Citation {
  const source = objectOf(chunk.web) ?? objectOf(chunk.retrievedContext) ?? objectOf(chunk.maps) ?? {};
  return compact<Citation>({
    kind: chunk.retrievedContext ? 'document' : 'url',
    url: textOf(source.uri),
    title: textOf(source.title),
    ...where,
    raw: { dialect: 'gemini', value: chunk },
  });
}

/** The citation in a text part that begins `before` characters into the whole text. */
export const shifted = (citation: Citation, before: number): Citation =>
  compact({
    ...citation,
    start: citation.start === undefined ? undefined : Math.max(0, citation.start - before),
    end: citation.end === undefined ? undefined : Math.max(0, citation.end - before),
  });

/** Citations gathered while an answer is written, with the place of the text that each belongs to. */
export class Grounding {
  readonly #chunks: JsonObject[] = [];
  readonly #supports: JsonObject[] = [];

  /** A citation in a text that begins `startByte` bytes into the whole text. */
  add(citation: Citation, text: string, startByte: number): void {
    const start = citation.start ?? 0;
    const end = citation.end ?? text.length;
    const chunk =
      citation.raw.dialect === 'gemini' && !('startIndex' in citation.raw.value)
        ? citation.raw.value
        : { web: compact({ uri: citation.url ?? '', title: citation.title ?? citation.url ?? '' }) };
    this.#supports.push({
      segment: {
        startIndex: startByte + Buffer.byteLength(text.slice(0, start)),
        endIndex: startByte + Buffer.byteLength(text.slice(0, end)),
        text: text.slice(start, end),
      },
      groundingChunkIndices: [this.#chunks.push(chunk) - 1],
    });
  }

  /** Undefined when nothing was cited. */
  get metadata(): JsonObject | undefined {
    return this.#chunks.length === 0
      ? undefined
      : { groundingChunks: this.#chunks, groundingSupports: this.#supports };
  }
}
