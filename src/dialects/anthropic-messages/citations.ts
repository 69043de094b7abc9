/** Citations of text blocks. A citation supports its whole block, so that it carries no offsets in the text. */
import type { JsonObject } from '../../core/json.ts';
import { compact, objectsOf, textOf } from '../fields.ts';
import type { Citation } from '../neutral.ts';

const isUrl = (text: string | undefined): text is string => text !== undefined && /^https?:\/\//i.test(text);

export function readCitation(raw: JsonObject): Citation {
  const url = textOf(raw.url) ?? textOf(raw.source);
  return compact({
    kind: isUrl(url) ? 'url' : textOf(raw.file_id) !== undefined ? 'file' : 'document',
    url: isUrl(url) ? url : undefined,
    title: textOf(raw.title) ?? textOf(raw.document_title),
    citedText: textOf(raw.cited_text),
    raw: { dialect: 'anthropic-messages', value: raw },
  });
}

export const readCitations = (raw: unknown): Citation[] => objectsOf(raw).map(readCitation);

/** The citation as Anthropic writes it, or in the nearest of its forms. */
export function writeCitation(citation: Citation): JsonObject {
  if (citation.raw.dialect === 'anthropic-messages') return citation.raw.value;
  const text = citation.citedText ?? '';
  if (citation.kind === 'url') {
    return {
      type: 'web_search_result_location',
      cited_text: text,
      url: citation.url ?? '',
      title: citation.title ?? null,
      encrypted_index: '',
    };
  }
  return {
    type: 'char_location',
    cited_text: text,
    document_index: 0,
    document_title: citation.title ?? null,
    start_char_index: 0,
    end_char_index: text.length,
  };
}
