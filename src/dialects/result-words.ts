/** What a tool has answered, in words for a model whose wire has no others. */
import { textOf } from './fields.ts';
import type { Part, ToolResultPart } from './neutral.ts';

/** As most tools begin what they say of it themselves. */
const FAILED = /^error:/i;

/** For wires without a field that says whether it has failed. */
export function resultInWords(part: ToolResultPart): Part[] {
  const said = saidInWords(part);
  if (!part.isError) return said;
  const [first, ...rest] = said;
  if (first?.type !== 'text') return [{ type: 'text', text: 'Error' }, ...said];
  return [{ ...first, text: failedInWords(first.text) }, ...rest];
}

/** The same for a model that does not read all that tools give: a word stands for the rest, so that the talk goes on. */
export const readInWords = (
  part: ToolResultPart,
  reads: (part: Part) => boolean,
  drop: (what: string) => void,
): Part[] =>
  resultInWords(part).map((said) => {
    if (reads(said)) return said;
    drop(said.type);
    const name = (said.type === 'file' ? (said.title ?? said.filename) : undefined) ?? said.type;
    return { type: 'text', text: `[${name} was left out: it cannot be read here]` };
  });

export const failedInWords = (text: string): string => (FAILED.test(text) ? text : `Error: ${text}`);

/** Claude's clients answer a search for tools by naming those that were found, which stand among the tools of the request. */
export function saidInWords({ content }: ToolResultPart): Part[] {
  const found = content.flatMap((part) => toolFound(part) ?? []);
  if (found.length === 0) return content;
  const others = content.filter((part) => toolFound(part) === undefined);
  return [{ type: 'text', text: `Tools found: ${found.join(', ')}` }, ...others];
}

/** The tools that were found by the names that they have where they are told of. */
export const withToolsFound = (content: readonly Part[], toldAs: (name: string) => string): Part[] =>
  content.map((part) => {
    const name = toolFound(part);
    if (name === undefined || part.type !== 'raw') return part;
    return { ...part, value: { ...part.value, tool_name: toldAs(name) } };
  });

const toolFound = (part: Part): string | undefined =>
  part.type === 'raw' && part.value.type === 'tool_reference' ? textOf(part.value.tool_name) : undefined;
