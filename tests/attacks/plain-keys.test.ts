/**
 * What callers write becomes keys through `core/callers-keys.ts` alone, see decision 037: thousands of names that meet in
 * one place of a table stop the process. No code shows what a Map or a Set is filled with, so that those that may hold
 * strings are known here, by what keeps strangers out of them. Nobody need know those whose type says that they hold others,
 * and lists that stand in the code.
 */
import { expect, it } from 'bun:test';
import ts from 'typescript';

/** By why callers cannot fill them: the file and the name of what makes them. */
const KNOWN: Record<string, string[]> = {
  'words of ours': [
    'dialects/anthropic-messages/read-parts.ts extra',
    'dialects/asked-tools.ts searchOfChat',
    'dialects/body-rules.ts names',
    'dialects/body-rules.ts read',
    'dialects/cache-life.ts dropped',
    'dialects/dropped-extras.ts droppedExtras',
    'dialects/gateway-fields.ts namesOf',
    'dialects/other-texts.ts reads',
    'dialects/reading-tools.ts uses',
    'http/assets.ts assets',
    'http/console-bodies.ts #most',
    'http/kept-pages.ts making',
    'http/openapi.ts callsOf',
    'relay/attempt/body/surcharge.ts usualOf',
    'relay/attempt/callers-words.ts foldedNames',
    'relay/charge/encodings.ts AS_TEXT',
    'relay/entry/routes.ts atPath',
  ],
  'what operators have named, or users of their own keys': [
    'relay/attempt/body/tools-ahead.ts known',
    'relay/attempt/body/tools-ahead.ts written',
    'relay/attempt/kept-connections.ts #pools',
    'relay/attempt/reach.ts probing',
    'relay/charge/estimate.ts promptRead',
    'relay/charge/thoughts-beside.ts placesOf',
    'relay/charge/upstreams.ts thinkersOf',
    'relay/charge/upstreams.ts upstreamsOf',
    'relay/choose/circuit-breaker.ts #breaker',
    'relay/choose/open-breakers.ts models',
    'relay/choose/open-breakers.ts openBreakers',
    'relay/choose/own-key.ts NONE',
    'relay/choose/own-tests.ts underWay',
    'relay/entry/models.ts withOwn',
    'relay/open.ts relay',
  ],
  'what an upstream says, which an operator has chosen': [
    'dialects/continuations.ts Continuations',
    'dialects/gemini/searches.ts fetched',
    'dialects/gemini/searches.ts known',
    'dialects/gemini/searches.ts searchesIn',
    'dialects/openai-chat/read-stream.ts callsById',
    'dialects/openai-responses/read-stream.ts item',
    'dialects/openai-responses/reply-facts.ts #drawn',
    'dialects/openai-responses/reply-facts.ts #ids',
    'dialects/openai-responses/reply-facts.ts #ranIn',
    'dialects/openai-responses/reply-facts.ts #searches',
    'dialects/openai-responses/reply-facts.ts #seals',
    'dialects/openai-responses/reply-facts.ts #thoughts',
    'dialects/part-stream.ts #tools',
    'dialects/sound-ids.ts SoundIds',
    'dialects/told-ids.ts said',
    'dialects/tool-uses.ts #begun',
    'dialects/tool-uses.ts #found',
    'dialects/tool-uses.ts #listed',
    'dialects/tool-uses.ts #queries',
    'dialects/tool-uses.ts containers',
    'dialects/tool-uses.ts searchesShown',
    'relay/answer/containers-ran.ts context',
    'relay/answer/containers-ran.ts once',
    'relay/answer/item-store.ts answers',
    'relay/answer/item-store.ts ran',
    'relay/answer/thought-store.ts groups',
    'relay/attempt/callers-words.ts his',
    'relay/attempt/callers-words.ts names',
    'relay/choose/answer-affinity.ts ranIn',
  ],
  'names that were counted as they came': [
    'dialects/body-rules.ts #read',
    'dialects/gemini/schema.ts #properties',
    'dialects/spelling.ts kept',
  ],
  'no more than some hundreds at once': [
    'dialects/dropped-fields.ts names',
    'relay/answer/session-tools.ts SessionTools',
    'relay/answer/session-transcripts.ts #named',
    'relay/answer/session-transcripts.ts #paid',
    'relay/attempt/body/media.ts fresh',
    'relay/attempt/body/media.ts loading',
    'relay/attempt/body/surcharge.ts tools',
    'relay/charge/upstreams.ts now',
    'relay/choose/witnesses.ts NOBODY',
    'relay/choose/witnesses.ts saw',
  ],
  'one for each call or connection, so that none takes long': [
    'http/context.ts judgePeer',
    'http/open-answers.ts #idle',
    'relay/answer/session-turns.ts #within',
    'relay/attempt/body/model-options.ts names',
  ],
};

const SRC = new URL('../../src/', import.meta.url).pathname;

const TABLE = /^(Map|Set)$/;
const MAKES = /^(Map|Set|(Map|Object)\.groupBy)$/;

const isListOfWords = (given: ts.Expression | undefined): boolean =>
  given !== undefined && ts.isArrayLiteralExpression(given) && given.elements.every(ts.isLiteralExpression);

/** Whether strings of others may be keys of what this makes, or is; `isLoaded` where it runs as the file is loaded. */
function mayHoldStrings(node: ts.Node, isLoaded: boolean): boolean {
  const isMade = ts.isNewExpression(node) || ts.isCallExpression(node);
  const isExtended = ts.isExpressionWithTypeArguments(node) && TABLE.test(node.expression.getText());
  if (!isExtended && !(isMade && MAKES.test(node.expression.getText()))) return false;
  const [given] = isMade ? (node.arguments ?? []) : [];
  if ((isLoaded && given) || isListOfWords(given)) return false;
  const key = node.typeArguments?.[0]?.getText();
  return key === undefined || /\bstring\b/.test(key);
}

function nameOf(node: ts.Node): string | undefined {
  const isNamed =
    ts.isVariableDeclaration(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isClassLike(node) ||
    ts.isClassElement(node);
  const name = isNamed ? node.name : undefined;
  return name && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)) ? name.text : undefined;
}

function placesIn(file: string): string[] {
  const text = ts.sys.readFile(SRC + file) ?? '';
  if (!/\b(Map|Set|groupBy)\b/.test(text)) return [];
  const places: string[] = [];
  const visit = (node: ts.Node, within: string, isLoaded: boolean): void => {
    const place = nameOf(node) ?? within;
    if (mayHoldStrings(node, isLoaded)) places.push(`${file} ${place}`);
    const isLater = ts.isFunctionLike(node) || ts.isClassLike(node);
    ts.forEachChild(node, (child) => visit(child, place, isLoaded && !isLater));
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true), '', true);
  return places;
}

it('no strings are keys of a plain Map or Set but those that callers cannot choose', () => {
  const files = Array.from(new Bun.Glob('{dialects,relay,http}/**/*.ts').scanSync(SRC));
  const places = new Set(files.filter((file) => !file.endsWith('.test.ts')).flatMap(placesIn));
  expect([...places].sort()).toEqual(Object.values(KNOWN).flat().sort());
});
