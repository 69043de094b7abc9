/** Content blocks of Bedrock's Converse into parts. */
import type { JsonObject } from '../../core/json.ts';
import { compact, objectOf, objectsOf, textOf } from '../fields.ts';
import type { Citation, Part } from '../neutral.ts';

const raw = (value: JsonObject): Part => ({ type: 'raw', dialect: 'bedrock-converse', value });

export function readBlock(block: JsonObject): Part {
  if (typeof block.text === 'string') return { type: 'text', text: block.text };
  const call = objectOf(block.toolUse);
  if (call) {
    return {
      type: 'tool-call',
      id: textOf(call.toolUseId) ?? '',
      name: textOf(call.name) ?? '',
      input: JSON.stringify(call.input ?? {}),
      kind: 'function',
    };
  }
  const reasoning = objectOf(block.reasoningContent);
  if (reasoning) return readReasoning(reasoning);
  const cited = objectOf(block.citationsContent);
  if (cited) return readCited(cited);
  return raw(block);
}

function readReasoning(content: JsonObject): Part {
  const said = objectOf(content.reasoningText);
  return compact({
    type: 'thinking',
    text: textOf(said?.text) ?? '',
    signature: textOf(said?.signature),
    encrypted: textOf(content.redactedContent),
    origin: 'bedrock-converse',
  });
}

function readCited(content: JsonObject): Part {
  return {
    type: 'text',
    text: objectsOf(content.content)
      .map((piece) => textOf(piece.text) ?? '')
      .join(''),
    citations: objectsOf(content.citations).map(readCitation),
  };
}

/** A citation supports the whole text that it comes with. */
export function readCitation(given: JsonObject): Citation {
  const web = objectOf(objectOf(given.location)?.web);
  const url = textOf(web?.url);
  return compact({
    kind: url === undefined ? 'document' : 'url',
    url,
    title: textOf(given.title),
    citedText: objectsOf(given.sourceContent)
      .map((piece) => textOf(piece.text) ?? '')
      .join(''),
    raw: { dialect: 'bedrock-converse', value: given },
  });
}
